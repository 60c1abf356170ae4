// What a test file starts, which its name says: `kine-kubernetes-1.36.go.test.ts`, `kubernetes-1.37-etcd-3.7.go.long.test.ts`.
import { existsSync } from "node:fs";
import { onPath } from "../cache.mjs";
import {
  etcdFolder,
  etcdToolsFolder,
  obtainEtcdServer,
  obtainEtcdTools,
  releaseOf,
} from "../etcd-release.mjs";
import { kineFolder, obtainKine } from "./kine.mjs";
import { kubernetesFolder, obtainKubernetes } from "./kubernetes.mjs";

/**
 * The programs that have not been built yet on this machine, each with how to build it and what that needs.
 * @param {string} name
 * @returns {{ tools: readonly string[], build: (say: (line: string) => void) => void }[]}
 */
function unbuilt(name) {
  const [, kubernetes] = /kubernetes-(\d+\.\d+)/.exec(name) ?? [];
  const [, etcd] = /etcd-(\d+\.\d+)/.exec(name) ?? [];
  const programs = [
    ...(kubernetes === undefined ? [] : [ofKubernetes(kubernetes)]),
    ...(etcd === undefined ? [] : ofEtcd(etcd)),
    ...(name.includes("kine-") ? [{ folder: kineFolder(), tools: ["go", "gcc"], build: obtainKine }] : []),
  ];
  return programs.filter(({ folder }) => !existsSync(folder));
}

function ofKubernetes(minor) {
  const build = (say) => obtainKubernetes({ minor, say });
  return { folder: kubernetesFolder(minor), tools: ["go"], build };
}

function ofEtcd(minor) {
  const release = releaseOf(minor);
  return [
    { folder: etcdFolder(release), tools: ["go"], build: (say) => obtainEtcdServer({ minor, say }) },
    { folder: etcdToolsFolder(release), tools: ["go"], build: (say) => obtainEtcdTools({ minor, say }) },
  ];
}

/**
 * The tools that a test file lacks on this machine to have its programs built; none when they are built already.
 * @param {string} name
 */
export function missingTools(name) {
  const tools = new Set(unbuilt(name).flatMap((program) => program.tools));
  return [...tools].filter((tool) => onPath(tool) === undefined);
}

/** Builds what a test file starts and is not there yet. */
export function buildFor(name, say) {
  for (const { build } of unbuilt(name)) build(say);
}

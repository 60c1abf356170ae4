import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { parse } from "yaml";
import { etcdBinary } from "./etcd.js";
import { temporaryFolder } from "./folder.js";

/** Stands in for the kubelet: runs etcd as the manifest says while it is there, and again when it ends. */
export interface Kubelet {
  readonly manifest: string;
  /** Etcd's output, of all its starts. */
  log(): string;
}

export interface StaticEtcd {
  readonly name: string;
  readonly peerUrl: string;
  readonly clientUrl: string;
  readonly dataDir: string;
  /** kubeadm's first member has itself alone, and `new`. */
  readonly initialCluster: string;
  readonly flags?: readonly string[];
}

const LOOK_EVERY_MS = 50;

/** Starts one over a directory with this manifest in it, or with none. */
export function startKubelet(etcd?: StaticEtcd): Kubelet {
  const directory = join(temporaryFolder(), "manifests");
  mkdirSync(directory);
  const manifest = join(directory, "etcd.yaml");
  const logFile = join(directory, "..", "etcd.log");
  writeFileSync(logFile, "");
  if (etcd !== undefined) writeFileSync(manifest, manifestText(etcd));
  let running: { readonly child: ChildProcess; readonly text: string } | undefined;
  const timer = setInterval(() => {
    const text = readIfThere(manifest);
    if (running !== undefined && running.text !== text) running.child.kill("SIGTERM");
    if (running === undefined && text !== undefined) {
      const log = openSync(logFile, "a");
      const [binary = "", ...args] = parse(text).spec.containers[0].command;
      const child = spawn(binary, args, { stdio: ["ignore", log, log] });
      closeSync(log);
      running = { child, text };
      child.once("exit", () => {
        running = undefined;
      });
    }
  }, LOOK_EVERY_MS);
  onTestFinished(async () => {
    clearInterval(timer);
    if (running === undefined) return;
    const ended = once(running.child, "exit");
    running.child.kill("SIGKILL");
    await ended;
  });
  return { manifest, log: () => readFileSync(logFile, "utf8") };
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** In the words and the order of kubeadm. */
export function manifestText({
  name,
  peerUrl,
  clientUrl,
  dataDir,
  initialCluster,
  flags = [],
}: StaticEtcd): string {
  const words = [
    etcdBinary(),
    `--advertise-client-urls=${clientUrl}`,
    `--data-dir=${dataDir}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=${initialCluster}`,
    `--listen-client-urls=${clientUrl}`,
    `--listen-peer-urls=${peerUrl}`,
    `--name=${name}`,
    ...flags,
  ];
  return [
    "# written by kubeadm",
    "apiVersion: v1",
    "kind: Pod",
    "metadata:",
    "  name: etcd",
    "spec:",
    "  containers:",
    "  - command:",
    ...words.map((word) => `    - ${word}`),
    "    image: registry.k8s.io/etcd:3.6.16-0",
    "    name: etcd",
    "  hostNetwork: true",
    "",
  ].join("\n");
}

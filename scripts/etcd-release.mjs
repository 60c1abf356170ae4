// etcd's own releases, built with Go once per machine.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cacheDirectory, intoPlace } from "./cache.mjs";
import { goBuild } from "./go-build.mjs";

const RELEASES = { 3.6: "v3.6.16", 3.7: "v3.7.3" };

/** The minors that can be had, oldest first. */
export const ETCD_MINORS = Object.keys(RELEASES);

/** The release that the tests and the demo use. */
export const USUAL_RELEASE = RELEASES["3.6"];

const SERVER = `package main
import ("os"; "go.etcd.io/etcd/server/v3/etcdmain")
func main() {
	etcdmain.Main(os.Args)
}
`;

/** Where the server of a release lies, built or not. */
export function etcdFolder(release, directory = cacheDirectory()) {
  return join(directory, `etcd-${release}`);
}

/** The same of etcdctl and etcdutl. */
export function etcdToolsFolder(release) {
  return join(cacheDirectory(), `etcd-tools-${release}`);
}

/** Builds the server, about a minute. */
export function buildEtcd(release, directory = cacheDirectory()) {
  intoPlace(etcdFolder(release, directory), (draft) => {
    mkdirSync(join(draft, "module", "etcd"), { recursive: true });
    writeFileSync(join(draft, "module", "etcd", "main.go"), SERVER);
    goBuild(draft, { goMod: goMod(["server"], release), packages: ["./etcd"] });
  });
}

/**
 * The server's binary. What is not in the cache yet is built with Go, about a minute.
 * @param {{ minor: string, say: (line: string) => void }} options
 */
export function obtainEtcdServer({ minor, say }) {
  const release = releaseOf(minor);
  const folder = etcdFolder(release);
  if (!existsSync(folder)) {
    say(`building etcd ${release} with Go (about a minute, once)`);
    buildEtcd(release);
  }
  return join(folder, "etcd");
}

/**
 * The folder with etcdctl and etcdutl. What is not in the cache yet is built with Go, about a minute.
 * @param {{ minor: string, say: (line: string) => void }} options
 */
export function obtainEtcdTools({ minor, say }) {
  const release = releaseOf(minor);
  const folder = etcdToolsFolder(release);
  if (existsSync(folder)) return folder;
  say(`building etcdctl and etcdutl ${release} with Go (about a minute, once)`);
  const tools = ["etcdctl", "etcdutl"];
  intoPlace(folder, (draft) =>
    goBuild(draft, {
      goMod: goMod(tools, release),
      packages: tools.map((tool) => `go.etcd.io/etcd/${tool}/v3`),
    }),
  );
  return folder;
}

/** The release of a minor; throws when there is none. */
export function releaseOf(minor) {
  const release = RELEASES[minor];
  if (release === undefined) throw new Error(`no etcd ${minor}: there is ${ETCD_MINORS.join(", ")}`);
  return release;
}

function goMod(modules, release) {
  const required = modules.map((module) => `require go.etcd.io/etcd/${module}/v3 ${release}`);
  return ["module etcd-release", "go 1.24", ...required].join("\n");
}

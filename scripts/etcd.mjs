// Finds an etcd server binary, or makes one: Debian's package unpacked without root, or built with Go.
import { spawnSync } from "node:child_process";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

const GO_VERSION_OF_ETCD = "v3.6.16";

const GO_MAIN = `package main
import ("os"; "go.etcd.io/etcd/server/v3/etcdmain")
func main() {
	etcdmain.Main(os.Args)
}
`;

/**
 * An etcd binary and where it came from. `newest` prefers 3.6 built with Go, about a minute the first time on a
 * machine; `quickest` takes Debian's package first, whatever its version. What has to be made is put below
 * `directory`; what an earlier run left in the cache is used all the same.
 * @param {{ prefer: "newest" | "quickest", directory?: string, say: (line: string) => void }} options
 * @returns {{ path: string, origin: string }}
 */
export function obtainEtcd({ prefer, directory = cacheDirectory(), say }) {
  const named = given();
  if (named !== undefined) return named;
  const reasons = [];
  for (const way of WAYS[prefer]) {
    try {
      const found = way(directory, say);
      if (found !== undefined) return found;
    } catch (error) {
      reasons.push(error.message);
    }
  }
  throw new Error(
    [
      "no etcd to be had: set ETCD_BIN, or put etcd on PATH, or install Go or Debian's etcd-server",
      ...reasons,
    ].join("\n  "),
  );
}

/** Where etcdcidr's scripts keep what is built once per machine. */
export function cacheDirectory() {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "etcdcidr");
}

/**
 * The file that a command's name means, or undefined.
 * @param {string} name
 */
export function onPath(name) {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

const WAYS = {
  newest: [goCached, goBuilt, fromPath, debianCached, debianUnpacked],
  quickest: [fromPath, goCached, debianCached, debianUnpacked, goBuilt],
};

function given() {
  const path = process.env.ETCD_BIN;
  if (!path) return undefined;
  if (!isExecutable(path)) throw new Error(`ETCD_BIN names ${path}, which is not an executable file`);
  return { path, origin: "named by ETCD_BIN" };
}

function fromPath() {
  const path = onPath("etcd");
  return path && { path, origin: "on PATH" };
}

function goCached() {
  const path = goBinary(cacheDirectory());
  return existsSync(path) ? { path, origin: `${GO_VERSION_OF_ETCD}, built with Go earlier` } : undefined;
}

function debianCached() {
  const path = debianBinary(cacheDirectory());
  return existsSync(path) ? { path, origin: "Debian's package, unpacked earlier" } : undefined;
}

function goBuilt(directory, say) {
  if (onPath("go") === undefined) return undefined;
  say(`building etcd ${GO_VERSION_OF_ETCD} with Go (about a minute, once)`);
  const path = goBinary(directory);
  intoPlace(join(path, ".."), (folder) => {
    writeFileSync(join(folder, "main.go"), GO_MAIN);
    const go = (...args) =>
      run("go", args, { cwd: folder, env: { ...process.env, CGO_ENABLED: "0", GOWORK: "off" } });
    go("mod", "init", "etcd");
    go("get", `go.etcd.io/etcd/server/v3@${GO_VERSION_OF_ETCD}`);
    go("build", "-mod=mod", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", "etcd", ".");
  });
  return { path, origin: `${GO_VERSION_OF_ETCD}, built with Go` };
}

// apt keeps lists and cache below a folder of ours, so this needs no root and leaves the machine's apt as it is.
function debianUnpacked(directory, say) {
  if (onPath("apt-get") === undefined || onPath("dpkg-deb") === undefined) return undefined;
  say("fetching Debian's etcd-server (unpacked without root, with apt state of its own)");
  const path = debianBinary(directory);
  intoPlace(join(directory, "etcd-debian"), (folder) => {
    const apt = join(folder, "apt");
    mkdirSync(join(apt, "lists", "partial"), { recursive: true });
    mkdirSync(join(apt, "cache", "archives", "partial"), { recursive: true });
    const settings = [`Dir::State=${apt}`, `Dir::State::lists=${apt}/lists`, `Dir::Cache=${apt}/cache`];
    // As root apt would otherwise fetch as user _apt, which cannot write to a private folder.
    settings.push(
      "Dir::State::status=/var/lib/dpkg/status",
      "APT::Sandbox::User=",
      "Acquire::Languages=none",
    );
    const aptGet = (...args) =>
      run("apt-get", [...settings.flatMap((setting) => ["-o", setting]), "-qq", ...args], { cwd: folder });
    aptGet("update");
    aptGet("download", "etcd-server");
    run("sh", ["-c", "dpkg-deb -x etcd-server_*.deb package"], { cwd: folder });
    rmSync(apt, { recursive: true });
  });
  return { path, origin: "Debian's package, unpacked" };
}

const goBinary = (directory) => join(directory, `etcd-${GO_VERSION_OF_ETCD}`, "etcd");
const debianBinary = (directory) => join(directory, "etcd-debian", "package", "usr", "bin", "etcd");

/** Makes a folder beside its place and renames it, so that a half-made one is never taken for a whole one. */
function intoPlace(target, make) {
  mkdirSync(join(target, ".."), { recursive: true });
  const draft = mkdtempSync(`${target}.`);
  try {
    make(draft);
    if (!existsSync(target)) renameSync(draft, target);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function run(command, args, options) {
  const result = spawnSync(command, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    ...options,
  });
  if (result.error) throw new Error(`${command} could not be started: ${result.error.message}`);
  if (result.status !== 0)
    throw new Error(`${command} ${args.join(" ")} failed: ${result.stderr.trim().slice(-2000)}`);
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

// Finds an etcd server binary, or makes one: Debian's package unpacked without root, or built with Go.
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { cacheDirectory, capture, intoPlace, isExecutable, onPath } from "./cache.mjs";
import { buildEtcd, etcdFolder, USUAL_RELEASE } from "./etcd-release.mjs";

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

/**
 * Debian's etcd, which is of another generation than what the tests use else.
 * @param {{ directory?: string, say: (line: string) => void }} options
 * @returns {{ path: string, origin: string }}
 */
export function obtainDebianEtcd({ directory = cacheDirectory(), say }) {
  const found = debianCached() ?? debianUnpacked(directory, say);
  if (found === undefined) throw new Error("no apt-get and dpkg-deb on PATH");
  return found;
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
  return existsSync(path) ? { path, origin: `${USUAL_RELEASE}, built with Go earlier` } : undefined;
}

function debianCached() {
  const path = debianBinary(cacheDirectory());
  return existsSync(path) ? { path, origin: "Debian's package, unpacked earlier" } : undefined;
}

function goBuilt(directory, say) {
  if (onPath("go") === undefined) return undefined;
  say(`building etcd ${USUAL_RELEASE} with Go (about a minute, once)`);
  buildEtcd(USUAL_RELEASE, directory);
  return { path: goBinary(directory), origin: `${USUAL_RELEASE}, built with Go` };
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
      capture("apt-get", [...settings.flatMap((setting) => ["-o", setting]), "-qq", ...args], {
        cwd: folder,
      });
    aptGet("update");
    aptGet("download", "etcd-server");
    capture("sh", ["-c", "dpkg-deb -x etcd-server_*.deb package"], { cwd: folder });
    rmSync(apt, { recursive: true });
  });
  return { path, origin: "Debian's package, unpacked" };
}

const goBinary = (directory) => join(etcdFolder(USUAL_RELEASE, directory), "etcd");
const debianBinary = (directory) => join(directory, "etcd-debian", "package", "usr", "bin", "etcd");

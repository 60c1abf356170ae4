import { readdir, readlink } from "node:fs/promises";
import { connect } from "node:net";
import { join, resolve } from "node:path";
import type { LocalProcess } from "../reconcile/member/observed.js";
import type { DataPaths } from "./data-directory.js";

const PATIENCE_MS = 500;

/** Whether etcd runs here: something listens on one of its own URLs, or has files in its data directory open. */
export async function findLocalProcess(urls: readonly string[], paths: DataPaths): Promise<LocalProcess> {
  for (const url of urls) {
    if (await isListening(url)) return { isRunning: true, why: `something listens on ${url}` };
  }
  const holder = await holderOf([paths.dataDir, ...(paths.walDir === undefined ? [] : [paths.walDir])]);
  return holder === undefined
    ? { isRunning: false, why: "" }
    : { isRunning: true, why: `process ${holder.pid} has ${holder.file} open` };
}

/** Whether something takes connections at the URL's host and port. */
export function isListening(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) });
  return new Promise((done) => {
    const end = (listening: boolean): void => {
      socket.destroy();
      done(listening);
    };
    socket.setTimeout(PATIENCE_MS, () => end(false));
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
  });
}

/** Processes that cannot be looked into, another user's, are passed over: the tool runs as root where it matters. */
async function holderOf(
  directories: readonly string[],
): Promise<{ readonly pid: string; readonly file: string } | undefined> {
  const roots = directories.map((directory) => `${resolve(directory)}/`);
  const pids = (await namesIn("/proc")).filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  for (const pid of pids) {
    for (const descriptor of await namesIn(`/proc/${pid}/fd`)) {
      const file = await readlink(join("/proc", pid, "fd", descriptor)).catch(() => "");
      if (roots.some((root) => file.startsWith(root))) return { pid, file };
    }
  }
  return undefined;
}

async function namesIn(directory: string): Promise<readonly string[]> {
  return readdir(directory).catch(() => []);
}

import { lstat, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { DataDirectory } from "../reconcile/member/observed.js";
import { readWalIdentity } from "./wal-head.js";

/** Where etcd of this host keeps its data; `walDir` where it has `--wal-dir`. */
export interface DataPaths {
  readonly dataDir: string;
  readonly walDir?: string;
}

const HEAD_BYTES = 4096;

/** What lies there, without etcd. A directory that is not there is empty, as are prepared empty ones. */
export async function inspectDataDirectory(paths: DataPaths): Promise<DataDirectory> {
  try {
    const odd = (await oddDirectory(paths.dataDir)) ?? (await oddDirectory(walPath(paths)));
    return odd ?? (await inspect(paths));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { kind: "odd", oddity: "unreadable", why: `the data directory cannot be read: ${why}` };
  }
}

export function walPath({ dataDir, walDir }: DataPaths): string {
  return walDir ?? join(dataDir, "member", "wal");
}

async function inspect(paths: DataPaths): Promise<DataDirectory> {
  const snap = join(paths.dataDir, "member", "snap");
  const [first] = (await namesIn(walPath(paths))).filter((name) => name.endsWith(".wal")).sort();
  if (first === undefined) {
    const rest = await namesIn(snap);
    const why = `there is ${rest.join(", ")} in ${snap}, and no write-ahead log`;
    return rest.length === 0 ? { kind: "empty" } : { kind: "odd", oddity: "no-wal", why };
  }
  const file = join(walPath(paths), first);
  const identity = readWalIdentity(await readHead(file));
  if (identity !== undefined) return { kind: "wal", ...identity };
  return { kind: "odd", oddity: "no-wal", why: `${file} does not begin as a write-ahead log does` };
}

async function oddDirectory(path: string): Promise<DataDirectory | undefined> {
  const stats = await lstat(path).catch(unlessMissing);
  if (stats === undefined || stats.isDirectory()) return undefined;
  return stats.isSymbolicLink()
    ? { kind: "odd", oddity: "symlink", why: `${path} is a symbolic link` }
    : { kind: "odd", oddity: "unreadable", why: `${path} is no directory` };
}

async function namesIn(directory: string): Promise<readonly string[]> {
  return (await readdir(directory).catch(unlessMissing)) ?? [];
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

async function readHead(path: string): Promise<Buffer> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

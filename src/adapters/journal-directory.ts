import { access, mkdir, open, readdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";

/** A change's journal, in a directory of its own that is named by its id. */
export const FILE_NAME = "journal.jsonl";

/** Makes it and what is missing above it; the names must survive a power loss as well as the content. */
export async function makeDirectory(directory: string): Promise<void> {
  const topmost = await mkdir(directory, { recursive: true, mode: 0o700 });
  if (topmost === undefined) return;
  for (let path = resolve(directory); path.length >= resolve(topmost).length; path = dirname(path)) {
    await syncDirectory(dirname(path));
  }
}

/** Ids of the changes that have a journal in the directory, oldest first. */
export async function list(directory: string): Promise<readonly string[]> {
  try {
    const names = await readdir(directory);
    const areOurs = await Promise.all(names.map((name) => isThere(join(directory, name, FILE_NAME))));
    return names.filter((_name, index) => areOurs[index]).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw unusable(directory, error);
  }
}

/** False for a directory that is not a change's: lost+found, or one whose run was killed before its first record. */
export async function isThere(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    throw error;
  }
}

export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export function unusable(directory: string, cause: unknown): EtcdcidrError {
  if (cause instanceof EtcdcidrError) return cause;
  const why = cause instanceof Error ? cause.message : String(cause);
  return new EtcdcidrError(
    "journal-unusable",
    {
      what: `cannot keep a journal in ${directory}`,
      why,
      now: NOTHING_WRITTEN,
      next: "make it writable, or give another --journal-dir",
    },
    { cause },
  );
}

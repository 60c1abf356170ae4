import { mkdir, readdir, rename, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { EtcdcidrError } from "../errors.js";
import type { DataPaths } from "./data-directory.js";
import { isThere, syncDirectory } from "./journal-directory.js";

/**
 * Moves a member's data aside, never deletes them; returns where they are. `label` is unique: a time and an id. What is a mount
 * point cannot be renamed and keeps the archive inside. A log that lies elsewhere goes last: as long as it is there, the data
 * are known as what they are. Throws `stopped`.
 */
export async function archiveData({ dataDir, walDir }: DataPaths, label: string): Promise<readonly string[]> {
  const archives: string[] = [];
  try {
    const member = await archiveOf(resolve(dataDir), label);
    if (await move(resolve(dataDir), member, ["member"])) archives.push(join(member, "member"));
    if (walDir !== undefined) {
      const log = await archiveOf(resolve(walDir), label);
      const names = (await readdir(walDir)).filter((name) => /\.(wal|tmp|broken)$/.test(name)).sort();
      if (await move(resolve(walDir), log, names)) archives.push(log);
    }
    return archives;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new EtcdcidrError(
      "stopped",
      {
        what: `cannot move the data in ${dataDir} aside`,
        why,
        now: archives.length === 0 ? "the data are where they were" : `moved so far: ${archives.join(", ")}`,
        next: "run as root, look at the file system, then run again",
      },
      { cause },
    );
  }
}

/** On the same file system, and outside where it can be: etcd warns of files that it does not know. */
async function archiveOf(directory: string, label: string): Promise<string> {
  const isMountPoint = (await stat(directory)).dev !== (await stat(dirname(directory))).dev;
  return isMountPoint ? join(directory, `etcdcidr-archive-${label}`) : `${directory}-etcdcidr-${label}`;
}

/** Whether there was anything to move. */
async function move(directory: string, archive: string, names: readonly string[]): Promise<boolean> {
  const isHere = await Promise.all(names.map((name) => isThere(join(directory, name))));
  if (!isHere.includes(true)) return false;
  await mkdir(archive, { recursive: true, mode: 0o700 });
  for (const name of names) await rename(join(directory, name), join(archive, name));
  for (const each of [archive, directory, dirname(archive)]) await syncDirectory(each);
  return true;
}

import { chmod, copyFile, open, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import type { JournalCodec } from "../ports.js";
import { FILE_NAME, isThere, list, makeDirectory, syncDirectory, unusable } from "./journal-directory.js";
import { checkedLines } from "./journal-lines.js";

/** Copies a change's journal into a new file. */
export async function exportJournal(
  directory: string,
  changeId: string,
  path: string,
  codec: JournalCodec,
): Promise<void> {
  if (!(await list(directory)).includes(changeId)) throw noJournal(directory, changeId);
  if (await isThere(path)) throw exists(path);
  const own = join(directory, changeId, FILE_NAME);
  await copyJournal(own, path, await wholeLength(own, codec));
}

/** Makes such a file a journal of this directory; returns the change's id. */
export async function importJournal(directory: string, path: string, codec: JournalCodec): Promise<string> {
  const changeId = await changeIdIn(path, codec);
  const own = join(directory, changeId);
  if (await isThere(join(own, FILE_NAME))) throw exists(own);
  const length = await wholeLength(path, codec);
  try {
    await makeDirectory(own);
  } catch (error) {
    throw unusable(directory, error);
  }
  await copyJournal(path, join(own, FILE_NAME), length);
  return changeId;
}

/** Ids name directories, so only what this tool makes is taken. */
const CHANGE_ID = /^\d{8}-\d{6}-[0-9a-f]{6}$/;

async function changeIdIn(path: string, codec: JournalCodec): Promise<string> {
  for await (const { record } of checkedLines(path, codec)) {
    if (record.type === "begin" && CHANGE_ID.test(record.changeId)) return record.changeId;
    break;
  }
  throw foreign(path);
}

/** Up to a torn last line. Throws `journal-damaged`. */
async function wholeLength(path: string, codec: JournalCodec): Promise<number> {
  let length = 0;
  for await (const { end } of checkedLines(path, codec)) length = end;
  return length;
}

/** The name is given when all is on disk: half a journal looks like a whole one. */
async function copyJournal(from: string, to: string, length: number): Promise<void> {
  const unfinished = `${to}.part`;
  try {
    await copyFile(from, unfinished);
    await chmod(unfinished, 0o600);
    const handle = await open(unfinished, "r+");
    await handle.truncate(length);
    await handle.sync();
    await handle.close();
    await rename(unfinished, to);
    await syncDirectory(dirname(to));
  } catch (error) {
    throw unusable(dirname(to), error);
  }
}

function foreign(path: string): EtcdcidrError {
  return new EtcdcidrError("refused", {
    what: `cannot take over ${path}`,
    why: "it does not begin as a journal does",
    now: NOTHING_WRITTEN,
    next: "give a file that `etcdcidr changes export` has written",
  });
}

function noJournal(directory: string, changeId: string): EtcdcidrError {
  return new EtcdcidrError("not-found", {
    what: `cannot export ${changeId}`,
    why: `there is no journal of that name in ${directory}`,
    now: NOTHING_WRITTEN,
    next: "`etcdcidr changes` lists the changes and where their journals lie",
  });
}

function exists(path: string): EtcdcidrError {
  return new EtcdcidrError("refused", {
    what: `will not write over ${path}`,
    why: "it is there already",
    now: NOTHING_WRITTEN,
    next: "move it away first",
  });
}

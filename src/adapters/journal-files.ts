import { createReadStream } from "node:fs";
import { access, chmod, constants, copyFile, mkdir, open, readdir, statfs } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import type { JournalRecord } from "../plan/journal-record.js";
import type { Journal, JournalCodec, JournalStore } from "../ports.js";
import { createRecordFile, type RecordFile, reopenRecordFile } from "./record-file.js";

const FILE_NAME = "journal.jsonl";

/** Journals as files: `<directory>/<change id>/journal.jsonl`, directories 0700, files 0600. */
export function openJournalStore(directory: string, codec: JournalCodec): JournalStore {
  return {
    directory,
    probe: (bytes) => probe(directory, bytes),
    create: (changeId) => create(directory, changeId, codec),
    reopen: (changeId) => reopen(directory, changeId, codec),
    list: () => list(directory),
    exportTo: (changeId, path) => copyJournal(join(directory, changeId, FILE_NAME), path, codec),
    importFrom: (path) => importJournal(directory, path, codec),
    read: (changeId) => readRecords(join(directory, changeId, FILE_NAME), codec),
  };
}

async function probe(directory: string, bytes: number): Promise<void> {
  const existing = await firstExisting(directory);
  try {
    await access(existing, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = await statfs(existing);
    if (bavail * bsize < bytes) throw noRoom(directory, bytes, bavail * bsize);
  } catch (error) {
    throw unusable(directory, error);
  }
}

/** The directory itself, or the nearest one above it that is there. */
async function firstExisting(directory: string): Promise<string> {
  for (let path = directory; ; path = dirname(path)) {
    try {
      await access(path);
      return path;
    } catch (error) {
      if (path === dirname(path)) throw unusable(directory, error);
    }
  }
}

async function create(directory: string, changeId: string, codec: JournalCodec): Promise<Journal> {
  const own = join(directory, changeId);
  const path = join(own, FILE_NAME);
  try {
    await makeDirectory(own);
    const file = await createRecordFile(path);
    await syncDirectory(own);
    return openJournal(changeId, own, file, codec, codec.firstSum);
  } catch (error) {
    throw unusable(directory, error);
  }
}

/** Makes it and what is missing above it; the names must survive a power loss as well as the content. */
async function makeDirectory(directory: string): Promise<void> {
  const topmost = await mkdir(directory, { recursive: true, mode: 0o700 });
  if (topmost === undefined) return;
  for (let path = resolve(directory); path.length >= resolve(topmost).length; path = dirname(path)) {
    await syncDirectory(dirname(path));
  }
}

async function importJournal(directory: string, path: string, codec: JournalCodec): Promise<string> {
  const changeId = await changeIdIn(path, codec);
  const own = join(directory, changeId);
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await mkdir(own, { mode: 0o700 });
  } catch (error) {
    throw unusable(directory, error);
  }
  await copyJournal(path, join(own, FILE_NAME), codec);
  await syncDirectory(own);
  await syncDirectory(directory);
  return changeId;
}

/** Ids name directories, so only what this tool makes is taken. */
const CHANGE_ID = /^\d{8}-\d{6}-[0-9a-f]{6}$/;

async function changeIdIn(path: string, codec: JournalCodec): Promise<string> {
  for await (const { record } of checkedLines(path, codec)) {
    if (record.type === "begin" && CHANGE_ID.test(record.changeId)) return record.changeId;
    break;
  }
  throw damaged(path, "it does not begin as a journal does");
}

/** Copies only lines that are as they were written, into a file that must not exist. */
async function copyJournal(from: string, to: string, codec: JournalCodec): Promise<void> {
  let length = 0;
  for await (const { end } of checkedLines(from, codec)) length = end;
  try {
    await copyFile(from, to, constants.COPYFILE_EXCL);
    await chmod(to, 0o600);
    const handle = await open(to, "r+");
    await handle.truncate(length);
    await handle.sync();
    await handle.close();
  } catch (error) {
    throw unusable(dirname(to), error);
  }
}

async function reopen(directory: string, changeId: string, codec: JournalCodec): Promise<Journal> {
  const own = join(directory, changeId);
  const path = join(own, FILE_NAME);
  let end = { offset: 0, sum: codec.firstSum };
  for await (const line of checkedLines(path, codec)) end = { offset: line.end, sum: line.sum };
  try {
    return openJournal(changeId, own, await reopenRecordFile(path, end.offset), codec, end.sum);
  } catch (error) {
    throw unusable(directory, error);
  }
}

function openJournal(
  changeId: string,
  directory: string,
  file: RecordFile,
  codec: JournalCodec,
  lastSum: string,
): Journal {
  let sum = lastSum;
  const guarded = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      throw unusable(directory, error);
    }
  };
  return {
    changeId,
    directory,
    append(record) {
      const line = codec.encode(record, sum);
      file.append(line.text, record.type === "original" ? record.key : undefined, sum);
      sum = line.sum;
    },
    flush: () => guarded(file.flush),
    sync: () => guarded(file.sync),
    async originals(keys) {
      const lines = await guarded(() => file.read(keys));
      return new Map(
        [...lines].map(([key, { text, context }]) => [
          key,
          valueIn(codec.decode(text.trimEnd(), context), directory),
        ]),
      );
    },
    close: () => guarded(file.close),
  };
}

function valueIn(decoded: ReturnType<JournalCodec["decode"]>, directory: string): Uint8Array {
  if (decoded?.record.type !== "original") throw damaged(directory, "an original is not as it was written");
  return decoded.record.value;
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function list(directory: string): Promise<readonly string[]> {
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
async function isThere(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    throw error;
  }
}

async function* readRecords(path: string, codec: JournalCodec): AsyncGenerator<JournalRecord> {
  for await (const { record } of checkedLines(path, codec)) yield record;
}

interface CheckedLine {
  readonly record: JournalRecord;
  readonly sum: string;
  /** Offset behind its line feed. */
  readonly end: number;
}

/** The lines up to one without a line feed, which a crash has torn; anything else that is not as it was written is damage. */
async function* checkedLines(path: string, codec: JournalCodec): AsyncGenerator<CheckedLine> {
  let sum = codec.firstSum;
  let number = 0;
  for await (const { text, end, complete } of linesOf(path)) {
    if (!complete) return;
    number += 1;
    const decoded = codec.decode(text, sum);
    if (decoded === undefined) throw damaged(path, `line ${number} is not as it was written`);
    sum = decoded.sum;
    yield { ...decoded, end };
  }
}

const LINE_FEED = 0x0a;

interface Line {
  readonly text: string;
  readonly end: number;
  /** Whether it ends with a line feed. */
  readonly complete: boolean;
}

async function* linesOf(path: string): AsyncGenerator<Line> {
  let rest: Buffer[] = [];
  let offset = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      const text = Buffer.concat([...rest, chunk.subarray(start, end)]).toString("utf8");
      yield { text, end: offset + end + 1, complete: true };
      rest = [];
      start = end + 1;
    }
    rest.push(chunk.subarray(start));
    offset += chunk.length;
  }
  const last = Buffer.concat(rest);
  if (last.length > 0) yield { text: last.toString("utf8"), end: offset, complete: false };
}

function noRoom(directory: string, needed: number, free: number): EtcdcidrError {
  return new EtcdcidrError("journal-unusable", {
    what: `cannot keep a journal in ${directory}`,
    why: `it takes up to ${Math.ceil(needed / 1e6)} MB, and ${Math.floor(free / 1e6)} MB are free`,
    now: NOTHING_WRITTEN,
    next: "make room, or give another --journal-dir",
  });
}

function unusable(directory: string, cause: unknown): EtcdcidrError {
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

function damaged(path: string, why: string): EtcdcidrError {
  return new EtcdcidrError("journal-damaged", {
    what: `cannot trust the journal ${path}`,
    why,
    now: NOTHING_WRITTEN,
    next: "restore the file from a copy; or, if this change need not be undone any more, move its directory away",
  });
}

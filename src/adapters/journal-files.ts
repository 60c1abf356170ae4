import { access, constants, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import type { JournalRecord } from "../plan/journal-record.js";
import type { Journal, JournalCodec, JournalStore } from "../ports.js";
import { exportJournal, importJournal } from "./journal-copy.js";
import { FILE_NAME, list, makeDirectory, syncDirectory, unusable } from "./journal-directory.js";
import { checkedLines } from "./journal-lines.js";
import { createRecordFile, type RecordFile, reopenRecordFile } from "./record-file.js";

/** Journals as files: `<directory>/<change id>/journal.jsonl`, directories 0700, files 0600. */
export function openJournalStore(directory: string, codec: JournalCodec): JournalStore {
  return {
    directory,
    probe: (bytes) => probe(directory, bytes),
    create: (changeId) => create(directory, changeId, codec),
    reopen: (changeId) => reopen(directory, changeId, codec),
    list: () => list(directory),
    exportTo: (changeId, path) => exportJournal(directory, changeId, path, codec),
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

async function reopen(directory: string, changeId: string, codec: JournalCodec): Promise<Journal> {
  const own = join(directory, changeId);
  const path = join(own, FILE_NAME);
  let end = { offset: 0, sum: codec.firstSum };
  for await (const line of checkedLines(path, codec)) end = { offset: line.end, sum: line.sum };
  try {
    const file = await reopenRecordFile(path, end.offset);
    await syncDirectory(own);
    return openJournal(changeId, own, file, codec, end.sum);
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
      file.append(line.bytes);
      sum = line.sum;
    },
    flush: () => guarded(file.flush),
    sync: () => guarded(file.sync),
    close: () => guarded(file.close),
  };
}

async function* readRecords(path: string, codec: JournalCodec): AsyncGenerator<JournalRecord> {
  for await (const { record } of checkedLines(path, codec)) yield record;
}

function noRoom(directory: string, needed: number, free: number): EtcdcidrError {
  return new EtcdcidrError("journal-unusable", {
    what: `cannot keep a journal in ${directory}`,
    why: `it takes up to ${Math.ceil(needed / 1e6)} MB, and ${Math.floor(free / 1e6)} MB are free`,
    now: NOTHING_WRITTEN,
    next: "make room, or give another --journal-dir",
  });
}

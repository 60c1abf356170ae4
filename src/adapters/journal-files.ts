import { createReadStream } from "node:fs";
import { access, constants, mkdir, open, readdir, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import type { JournalRecord } from "../plan/journal-record.js";
import type { Journal, JournalCodec, JournalStore } from "../ports.js";
import { createRecordFile, type RecordFile } from "./record-file.js";

const FILE_NAME = "journal.jsonl";

/** Journals as files: `<directory>/<change id>/journal.jsonl`, directories 0700, files 0600. */
export function openJournalStore(directory: string, codec: JournalCodec): JournalStore {
  return {
    directory,
    probe: (bytes) => probe(directory, bytes),
    create: (changeId) => create(directory, changeId, codec),
    list: () => list(directory),
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
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await mkdir(own, { mode: 0o700 });
    const file = await createRecordFile(path);
    // The names must survive a power loss as well as the content.
    await syncDirectory(own);
    await syncDirectory(directory);
    return openJournal(changeId, own, file, codec);
  } catch (error) {
    throw unusable(directory, error);
  }
}

function openJournal(changeId: string, directory: string, file: RecordFile, codec: JournalCodec): Journal {
  let sum = codec.firstSum;
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
    const entries = await readdir(directory, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw unusable(directory, error);
  }
}

async function* readRecords(path: string, codec: JournalCodec): AsyncGenerator<JournalRecord> {
  let sum = codec.firstSum;
  let torn: number | undefined;
  let number = 0;
  for await (const line of linesOf(path)) {
    number += 1;
    // A line that a crash has torn can only be the last one.
    if (torn !== undefined) throw damaged(path, `line ${torn} is not as it was written`);
    const decoded = codec.decode(line, sum);
    if (decoded === undefined) {
      torn = number;
      continue;
    }
    sum = decoded.sum;
    yield decoded.record;
  }
}

const LINE_FEED = 0x0a;

async function* linesOf(path: string): AsyncGenerator<string> {
  let rest: Buffer[] = [];
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      yield Buffer.concat([...rest, chunk.subarray(start, end)]).toString("utf8");
      rest = [];
      start = end + 1;
    }
    rest.push(chunk.subarray(start));
  }
  const last = Buffer.concat(rest);
  if (last.length > 0) yield last.toString("utf8");
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
    next: "restore the file from a copy; without it the old values are not known",
  });
}

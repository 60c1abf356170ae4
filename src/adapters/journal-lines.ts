import { createReadStream } from "node:fs";
import { EtcdcidrError, NOTHING_BY_THIS_RUN, NOTHING_WRITTEN } from "../errors.js";
import type { JournalRecord } from "../plan/journal-record.js";
import type { JournalCodec } from "../ports.js";

export interface CheckedLine {
  readonly record: JournalRecord;
  readonly sum: string;
  /** Offset behind its line feed. */
  readonly end: number;
}

/** The lines up to one without a line feed, which a crash has torn; anything else that is not as it was written is damage. */
export async function* checkedLines(path: string, codec: JournalCodec): AsyncGenerator<CheckedLine> {
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
  for await (const chunk of chunksOf(path)) {
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

async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>;
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function damaged(path: string, why: string): EtcdcidrError {
  return new EtcdcidrError("journal-damaged", {
    what: `cannot trust the journal ${path}`,
    why,
    now: `${NOTHING_BY_THIS_RUN}; how far the journal's change has come is not known`,
    next: "restore the file from a copy; or, if this change need not be undone any more, move its directory away",
  });
}

function unreadable(path: string, cause: unknown): EtcdcidrError {
  const why = cause instanceof Error ? cause.message : String(cause);
  const explanation = { what: `cannot read ${path}`, why, now: NOTHING_WRITTEN, next: "check the path" };
  return new EtcdcidrError("not-found", explanation, { cause });
}

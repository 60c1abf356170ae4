import { EtcdcidrError, NOTHING_BY_THIS_RUN } from "../errors.js";
import { sha256Hex } from "../storage/digest.js";
import type { JournalRecord } from "./journal-record.js";
import { toJson } from "./json.js";

// A line is {"sum":"<16 hex digits>","record":{...}}. Each sum covers the sum before it, so that a line taken out, put in or
// moved shows as well as one that was altered.
const SUM_DIGITS = 16;
const HEAD = '{"sum":"';
const MIDDLE = '","record":';
const BODY_AT = HEAD.length + SUM_DIGITS + MIDDLE.length;
const END = Buffer.from("}\n");

/** Lines of JSON with a checksum each. */
export const JOURNAL_CODEC: {
  readonly firstSum: string;
  readonly encode: typeof encodeLine;
  readonly decode: typeof decodeLine;
} = { firstSum: "", encode: encodeLine, decode: decodeLine };

interface EncodedLine {
  /** UTF-8, with the line feed. */
  readonly bytes: Buffer;
  readonly sum: string;
}

function encodeLine(record: JournalRecord, previousSum: string): EncodedLine {
  const summed = Buffer.from(previousSum + bodyOf(record));
  const sum = sumOf(summed);
  const body = summed.subarray(previousSum.length);
  return { bytes: Buffer.concat([Buffer.from(HEAD + sum + MIDDLE), body, END]), sum };
}

/**
 * An original is one of thousands: it is made plain by hand, since JSON.stringify is slow with a replacer, and its base64 is put
 * behind the rest, since JSON.stringify would look at each of its characters.
 */
function bodyOf(record: JournalRecord): string {
  if (record.type !== "original") return toJson(record);
  const { value, ...rest } = record;
  const base64 = Buffer.from(value.buffer, value.byteOffset, value.length).toString("base64");
  const plain = JSON.stringify({ ...rest, modRevision: rest.modRevision.toString() });
  return `${plain.slice(0, -1)},"value":"${base64}"}`;
}

/** Undefined when the line's sum is wrong: torn or altered. `line` has no line feed. */
function decodeLine(line: string, previousSum: string): { record: JournalRecord; sum: string } | undefined {
  if (!line.startsWith(HEAD) || !line.startsWith(MIDDLE, BODY_AT - MIDDLE.length) || !line.endsWith("}"))
    return undefined;
  const sum = line.slice(HEAD.length, HEAD.length + SUM_DIGITS);
  const body = line.slice(BODY_AT, -1);
  if (sumOf(previousSum + body) !== sum) return undefined;
  return { record: reviveRecord(JSON.parse(body) as StoredRecord), sum };
}

/** Of the sum before and the body, one behind the other. */
function sumOf(summed: string | Uint8Array): string {
  return sha256Hex(summed).slice(0, SUM_DIGITS);
}

/** The record as JSON has it: bigint as decimal text, bytes as base64, Maps as objects. */
type StoredRecord = { readonly type: string; readonly [name: string]: unknown };

function reviveRecord(stored: StoredRecord): JournalRecord {
  const revive = REVIVERS[stored.type];
  if (revive === undefined) throw unknownRecord(stored.type);
  // Its sum proves that this text was made from a record of this type.
  return revive(stored) as unknown as JournalRecord;
}

const REVIVERS: Readonly<Record<string, (stored: StoredRecord) => StoredRecord>> = {
  begin: (stored) => ({ ...stored, plan: reviveHeader(stored["plan"] as StoredRecord) }),
  original: (stored) => ({
    ...stored,
    modRevision: bigint(stored["modRevision"]),
    value: Buffer.from(String(stored["value"]), "base64"),
  }),
  ready: (stored) => stored,
  intent: (stored) => ({
    ...stored,
    keys: (stored["keys"] as StoredRecord[]).map((key) => ({
      ...key,
      modRevision: bigint(key["modRevision"]),
    })),
  }),
  committed: (stored) => ({ ...stored, revision: bigint(stored["revision"]) }),
  dropped: (stored) => stored,
  end: (stored) => stored,
  resumed: (stored) => stored,
};

function reviveHeader(header: StoredRecord): StoredRecord {
  const cluster = header["cluster"] as StoredRecord;
  const families = header["families"] as StoredRecord[];
  return {
    ...header,
    readAt: bigint(header["readAt"]),
    cluster: { ...cluster, etcdId: bigint(cluster["etcdId"]) },
    families: families.map((family) => ({ ...family, blocks: bigint(family["blocks"]) })),
    nodeUids: new Map(Object.entries(header["nodeUids"] as object)),
  };
}

function bigint(value: unknown): bigint {
  return BigInt(String(value));
}

function unknownRecord(type: string): EtcdcidrError {
  return new EtcdcidrError("journal-damaged", {
    what: "cannot read this journal",
    why: `it has a record of type ${JSON.stringify(type)}, which this version of etcdcidr does not know`,
    now: `${NOTHING_BY_THIS_RUN}; how far the journal's change has come is not known`,
    next: "use the version that wrote it",
  });
}

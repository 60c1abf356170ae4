import { CONTENT_ENCODING, MAGIC_LENGTH, RAW } from "./envelope.js";
import { malformed } from "./unreadable.js";
import {
  type Cursor,
  cursorOver,
  LENGTH_DELIMITED,
  START_GROUP,
  scan,
  type VARINT,
  type WireRecord,
} from "./wire.js";
import { encodeHead, encodeRecord, varintSize } from "./wire-writer.js";

/** One step down: a whole field by number, one element of a list, or the entry of a map with a key. */
export interface Step {
  readonly number: number;
  /** The field's name, for errors. */
  readonly name: string;
  readonly element?: { readonly index: number } | { readonly key: string };
}

/** What the last step's field becomes: one payload a record; none removes it. */
export interface Replacement {
  readonly type: typeof VARINT | typeof LENGTH_DELIMITED;
  readonly payloads: readonly Uint8Array[];
}

const MAX_FIELD_NUMBER = 2 ** 29 - 1;
/** Fields of a map's entry (protobuf encoding, "maps"). */
const ENTRY_KEY = 1;
const ENTRY_VALUE = 2;

/**
 * The stored value with one field of its object replaced: only that field's records and the lengths around them differ.
 * Throws `malformed-object` where the way to the field is not in the form that protobuf writers make.
 */
export function splice(key: string, value: Uint8Array, steps: readonly Step[], to: Replacement): Uint8Array {
  const cursor = cursorOver(key, value);
  const records = scanStrictly(cursor, MAGIC_LENGTH, value.length);
  const encoded = records.find((record) => record.number === CONTENT_ENCODING && record.end > record.payload);
  if (encoded) throw malformed(key, encoded.start, "the envelope has a content encoding");
  const raw: Step = { number: RAW, name: "raw" };
  const pieces = rewrite({ cursor, steps: [raw, ...steps], to }, 0, records);
  return Buffer.concat([value.subarray(0, MAGIC_LENGTH), ...pieces]);
}

interface Edit {
  readonly cursor: Cursor;
  readonly steps: readonly Step[];
  readonly to: Replacement;
}

/** The new bytes, in pieces, of a message whose occurrences hold these records. */
function rewrite(edit: Edit, depth: number, records: readonly WireRecord[]): Uint8Array[] {
  const step = edit.steps[depth];
  if (!step) throw new RangeError("a path without steps");
  const type = depth === edit.steps.length - 1 ? edit.to.type : LENGTH_DELIMITED;
  const mine = records.filter((record) => record.number === step.number);
  for (const record of mine) requireType(edit.cursor, record, type);
  const target = targetOf(edit, step, mine, records);
  for (const record of target.old) requireShortest(edit.cursor, record);
  const replaced = new Set(target.old);
  const replacement = replacementFor(edit, depth, step, depth === 0 ? target.old.slice(-1) : target.old);
  const { bytes } = edit.cursor;
  const pieces: Uint8Array[] = [];
  records.forEach((record, index) => {
    if (index === target.place) pieces.push(...replacement);
    if (!replaced.has(record)) pieces.push(bytes.subarray(record.start, record.end));
  });
  return target.place === records.length ? [...pieces, ...replacement] : pieces;
}

/** The records that take the place of the old ones. */
function replacementFor(edit: Edit, depth: number, step: Step, old: readonly WireRecord[]): Uint8Array[] {
  const { cursor, steps, to } = edit;
  if (depth === steps.length - 1)
    return to.payloads.map((payload) => encodeRecord(step.number, to.type, payload));
  if (step.element && "key" in step.element) {
    if (to.payloads.length === 0) return [];
    return delimited(step.number, entryFor(edit, depth, step.element.key, old));
  }
  if (old.length === 0) {
    if (to.payloads.length === 0) return [];
    throw malformed(cursor.key, cursor.offset, `${step.name} is not there, so nothing in it can be set`);
  }
  const inner = old.flatMap((record) => scanStrictly(cursor, record.payload, record.end));
  return delimited(step.number, rewrite(edit, depth + 1, inner));
}

function delimited(number: number, pieces: Uint8Array[]): Uint8Array[] {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return [encodeHead(number, LENGTH_DELIMITED, length), ...pieces];
}

/** A map's new entry: the old one with its value replaced, or one made anew. */
function entryFor(edit: Edit, depth: number, key: string, old: readonly WireRecord[]): Uint8Array[] {
  const last = old.at(-1);
  if (last) return rewrite(edit, depth + 1, scanStrictly(edit.cursor, last.payload, last.end));
  const values = edit.to.payloads.map((payload) => encodeRecord(ENTRY_VALUE, edit.to.type, payload));
  return [encodeRecord(ENTRY_KEY, LENGTH_DELIMITED, Buffer.from(key)), ...values];
}

interface Target {
  readonly old: readonly WireRecord[];
  /** Index among the message's records where the replacement goes. */
  readonly place: number;
}

function targetOf(
  edit: Edit,
  step: Step,
  mine: readonly WireRecord[],
  records: readonly WireRecord[],
): Target {
  if (!step.element) return { old: mine, place: placeOf(mine[0], step.number, records) };
  if ("index" in step.element) return elementTarget(edit, step, step.element.index, mine, records);
  const { cursor } = edit;
  const key = Buffer.from(step.element.key);
  const keyed = mine.map((record) => ({ record, key: entryKey(cursor, record) }));
  const same = keyed.filter((entry) => entry.key.equals(key)).map((entry) => entry.record);
  if (same.length > 0) return { old: same, place: placeOf(same.at(-1), step.number, records) };
  const greater = keyed.find((entry) => Buffer.compare(entry.key, key) > 0)?.record;
  return { old: [], place: greater ? records.indexOf(greater) : placeBehind(mine, step.number, records) };
}

function elementTarget(
  edit: Edit,
  step: Step,
  index: number,
  mine: readonly WireRecord[],
  records: readonly WireRecord[],
): Target {
  const element = mine[index];
  if (element) return { old: [element], place: records.indexOf(element) };
  if (index === mine.length && edit.steps.at(-1) === step) {
    return { old: [], place: placeBehind(mine, step.number, records) };
  }
  throw malformed(
    edit.cursor.key,
    edit.cursor.offset,
    `${step.name} has ${mine.length} elements, no [${index}]`,
  );
}

/** At the old record, else before the first one with a greater number. */
function placeOf(record: WireRecord | undefined, number: number, records: readonly WireRecord[]): number {
  if (record) return records.indexOf(record);
  const greater = records.findIndex((other) => other.number > number);
  return greater < 0 ? records.length : greater;
}

function placeBehind(mine: readonly WireRecord[], number: number, records: readonly WireRecord[]): number {
  const last = mine.at(-1);
  return last ? records.indexOf(last) + 1 : placeOf(undefined, number, records);
}

function entryKey(cursor: Cursor, entry: WireRecord): Buffer {
  const key = scanStrictly(cursor, entry.payload, entry.end).findLast(
    (record) => record.number === ENTRY_KEY,
  );
  if (!key) return Buffer.alloc(0);
  if (key.type !== LENGTH_DELIMITED) throw malformed(cursor.key, key.start, "a map's key is no string");
  return cursor.bytes.subarray(key.payload, key.end);
}

/** Records of a message on the edited way: what cannot be copied with certainty is refused. */
function scanStrictly(cursor: Cursor, start: number, end: number): WireRecord[] {
  const records = scan(cursor, start, end);
  for (const record of records) {
    if (record.type === START_GROUP)
      throw malformed(cursor.key, record.start, "a group on the way to the field");
    if (record.number > MAX_FIELD_NUMBER)
      throw malformed(cursor.key, record.start, `field number ${record.number}`);
  }
  return records;
}

/** Go refuses an object that has another wire type where a known field belongs. */
function requireType({ key }: Cursor, record: WireRecord, type: number): void {
  if (record.type !== type) {
    throw malformed(key, record.start, `field ${record.number} has wire type ${record.type}, not ${type}`);
  }
}

/** A record that is replaced or entered must have the shortest tag and length, else its neighbours' place is in doubt. */
function requireShortest({ key }: Cursor, record: WireRecord): void {
  const length = record.type === LENGTH_DELIMITED ? varintSize(record.end - record.payload) : 0;
  if (record.payload - record.start !== varintSize(record.number * 8 + record.type) + length) {
    throw malformed(key, record.start, `field ${record.number} has an overlong tag or length`);
  }
}

import { malformed } from "./unreadable.js";

/** A place in the bytes of a stored value; reading moves `offset`. */
export interface Cursor {
  readonly key: string;
  readonly bytes: Buffer;
  offset: number;
}

/** A cursor at the start of a key's value; the bytes are shared, not copied. */
export function cursorOver(key: string, value: Uint8Array): Cursor {
  return { key, bytes: Buffer.from(value.buffer, value.byteOffset, value.length), offset: 0 };
}

export const VARINT = 0;
export const FIXED64 = 1;
export const LENGTH_DELIMITED = 2;
export const START_GROUP = 3;
export const END_GROUP = 4;
export const FIXED32 = 5;

/** Seven bits a byte: up to seven bytes fit a double exactly. */
const EXACT_BYTES = 7;

/** The varint at the cursor: a number up to seven bytes, else a bigint of its low 64 bits (Go drops the rest). */
export function readVarint(cursor: Cursor, end: number): number | bigint {
  const start = cursor.offset;
  const first = start < end ? cursor.bytes[start] : undefined;
  if (first === undefined || first >= 0x80) return readLongVarint(cursor, end, start);
  cursor.offset = start + 1;
  return first;
}

function readLongVarint(cursor: Cursor, end: number, start: number): number | bigint {
  let value = 0;
  let scale = 1;
  for (let length = 0; length < EXACT_BYTES; length++) {
    const byte = nextByte(cursor, end, start);
    if (byte < 0x80) return value + byte * scale;
    value += (byte & 0x7f) * scale;
    scale *= 0x80;
  }
  let wide = BigInt(value);
  for (let shift = 49n; shift < 64n; shift += 7n) {
    const byte = nextByte(cursor, end, start);
    wide += BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return BigInt.asUintN(64, wide);
  }
  throw malformed(cursor.key, start, "a varint of more than ten bytes");
}

function nextByte(cursor: Cursor, end: number, start: number): number {
  const byte = cursor.offset < end ? cursor.bytes[cursor.offset++] : undefined;
  if (byte === undefined) throw malformed(cursor.key, start, "the value ends inside a varint");
  return byte;
}

/** Field number of a tag as Go computes it, `int32(wire >> 3)`; throws on 0 and below, as Go does. */
export function fieldNumber(cursor: Cursor, tag: number | bigint, offset: number): number {
  const number = typeof tag === "number" ? (tag / 8) | 0 : Number(BigInt.asIntN(32, tag >> 3n));
  if (number <= 0) throw malformed(cursor.key, offset, `field number ${number}`);
  return number;
}

export function wireType(tag: number | bigint): number {
  return typeof tag === "number" ? tag % 8 : Number(tag & 7n);
}

/** Reads a length and returns where the payload ends; the cursor stands at its start. */
export function readPayloadEnd(cursor: Cursor, end: number): number {
  const start = cursor.offset;
  const read = readVarint(cursor, end);
  const length = typeof read === "number" ? read : Number(BigInt.asIntN(64, read));
  if (length < 0 || length > end - cursor.offset) {
    throw malformed(cursor.key, start, `a length of ${length} where ${end - cursor.offset} bytes are left`);
  }
  return cursor.offset + length;
}

/** Moves over the payload of a field of this wire type; groups are skipped whole. */
export function skipPayload(cursor: Cursor, type: number, end: number): void {
  if (type === VARINT) readVarint(cursor, end);
  else if (type === LENGTH_DELIMITED) cursor.offset = readPayloadEnd(cursor, end);
  else if (type === FIXED64) skipBytes(cursor, 8, end);
  else if (type === FIXED32) skipBytes(cursor, 4, end);
  else if (type === START_GROUP) skipGroup(cursor, end);
  else throw malformed(cursor.key, cursor.offset, `wire type ${type}`);
}

function skipBytes(cursor: Cursor, count: number, end: number): void {
  if (count > end - cursor.offset)
    throw malformed(cursor.key, cursor.offset, "the value ends inside a field");
  cursor.offset += count;
}

/** Go's generated skip counts starts and ends of groups and looks at no number in between. */
function skipGroup(cursor: Cursor, end: number): void {
  for (let depth = 1; depth > 0; ) {
    const type = wireType(readVarint(cursor, end));
    if (type === START_GROUP) depth++;
    else if (type === END_GROUP) depth--;
    else skipPayload(cursor, type, end);
  }
}

/** One field of a message as it stands on the wire, tag and payload; offsets are those of the whole value. */
export interface WireRecord {
  readonly number: number;
  readonly type: number;
  readonly start: number;
  /** Where the payload starts, behind tag and length. */
  readonly payload: number;
  readonly end: number;
}

/** The records of the message between two offsets, in wire order. */
export function scan(cursor: Cursor, start: number, end: number): WireRecord[] {
  const records: WireRecord[] = [];
  cursor.offset = start;
  while (cursor.offset < end) {
    const at = cursor.offset;
    const tag = readVarint(cursor, end);
    const number = fieldNumber(cursor, tag, at);
    const type = wireType(tag);
    let payload = cursor.offset;
    if (type === LENGTH_DELIMITED) {
      const payloadEnd = readPayloadEnd(cursor, end);
      payload = cursor.offset;
      cursor.offset = payloadEnd;
    } else {
      skipPayload(cursor, type, end);
    }
    records.push({ number, type, start: at, payload, end: cursor.offset });
  }
  return records;
}

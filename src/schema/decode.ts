import { malformed } from "../storage/unreadable.js";
import {
  type Cursor,
  fieldNumber,
  LENGTH_DELIMITED,
  readPayloadEnd,
  readVarint,
  skipPayload,
  VARINT,
  wireType,
} from "../storage/wire.js";
import type { Field, FieldKind, Message } from "./descriptor.js";
import type { Mask } from "./mask.js";

/** A message as it was found on the wire: by field index what was there, undefined what was not. */
export interface Decoded {
  readonly message: Message;
  readonly mask: Mask;
  readonly values: (DecodedField | undefined)[];
}

export type DecodedField = DecodedValue | DecodedValue[] | Map<string, DecodedValue>;
export type DecodedValue = string | number | bigint | boolean | Uint8Array | Decoded;

/**
 * Decodes the message between the cursor and `end` as Go does: scalars twice: the last counts; messages twice: merged;
 * unknown fields and those outside the mask are skipped. Throws `malformed-object`.
 */
export function decodeMessage(cursor: Cursor, end: number, message: Message, mask: Mask): Decoded {
  const decoded: Decoded = { message, mask, values: [] };
  decodeInto(cursor, end, decoded);
  return decoded;
}

function decodeInto(cursor: Cursor, end: number, decoded: Decoded): void {
  const { message, mask, values } = decoded;
  const { byNumber } = message;
  while (cursor.offset < end) {
    const at = cursor.offset;
    const tag = readVarint(cursor, end);
    const type = wireType(tag);
    const field = byNumber.get(fieldNumber(cursor, tag, at));
    const inner = field && (mask === true || mask[field.index]);
    if (field && inner)
      values[field.index] = readField(cursor, end, field, type, at, inner, values[field.index]);
    else skipPayload(cursor, type, end);
  }
}

function readField(
  cursor: Cursor,
  end: number,
  field: Field,
  type: number,
  at: number,
  mask: Mask,
  before: DecodedField | undefined,
): DecodedField {
  const isVarint = isVarintKind(field.kind);
  if (field.shape === "map") {
    requireType(cursor, field, type, LENGTH_DELIMITED, at);
    const entries = before instanceof Map ? before : new Map<string, DecodedValue>();
    readEntry(cursor, readPayloadEnd(cursor, end), field, mask, entries);
    return entries;
  }
  if (field.shape === "single") {
    requireType(cursor, field, type, isVarint ? VARINT : LENGTH_DELIMITED, at);
    return readValue(cursor, end, field, mask, mergeable(field, before));
  }
  const list = Array.isArray(before) ? before : [];
  if (isVarint && type === LENGTH_DELIMITED) {
    const packedEnd = readPayloadEnd(cursor, end);
    while (cursor.offset < packedEnd) list.push(readValue(cursor, packedEnd, field, mask, undefined));
    return list;
  }
  requireType(cursor, field, type, isVarint ? VARINT : LENGTH_DELIMITED, at);
  list.push(readValue(cursor, end, field, mask, undefined));
  return list;
}

function isVarintKind(kind: FieldKind): boolean {
  return kind === "b" || kind === "i" || kind === "l";
}

function requireType(cursor: Cursor, field: Field, type: number, expected: number, at: number): void {
  if (type === expected) return;
  throw malformed(
    cursor.key,
    at,
    `${field.name || "an inline struct"} has wire type ${type}, not ${expected}`,
  );
}

/** Time and Quantity are set anew by a second occurrence, every other message is merged with the first. */
function mergeable(field: Field, before: DecodedField | undefined): Decoded | undefined {
  if (field.kind === "T" || field.kind === "M" || field.kind === "Q") return undefined;
  return isDecoded(before) ? before : undefined;
}

export function isDecoded(value: DecodedField | undefined): value is Decoded {
  return typeof value === "object" && "message" in value;
}

function readValue(
  cursor: Cursor,
  end: number,
  field: Field,
  mask: Mask,
  before: Decoded | undefined,
): DecodedValue {
  if (isVarintKind(field.kind)) return integer(field.kind, readVarint(cursor, end));
  const payloadEnd = readPayloadEnd(cursor, end);
  const start = cursor.offset;
  if (field.message) {
    const decoded = before ?? { message: field.message, mask, values: [] };
    decodeInto(cursor, payloadEnd, decoded);
    return decoded;
  }
  cursor.offset = payloadEnd;
  // Invalid UTF-8 shows as U+FFFD.
  if (field.kind === "s") return cursor.bytes.toString("utf8", start, payloadEnd);
  return cursor.bytes.subarray(start, payloadEnd);
}

/** As Go narrows a varint: int32 takes the low 32 bits, a bool is any of the 64 bits. */
function integer(kind: FieldKind, value: number | bigint): number | bigint | boolean {
  if (kind === "b") return typeof value === "number" ? value !== 0 : value !== 0n;
  if (typeof value === "number") return kind === "i" ? value | 0 : value;
  if (kind === "i") return Number(BigInt.asIntN(32, value));
  const signed = BigInt.asIntN(64, value);
  const rounded = Number(signed);
  return Number.isSafeInteger(rounded) ? rounded : signed;
}

/** A map's entry: key 1 and value 2 in any order, either may be missing; the last entry with a key counts. */
function readEntry(
  cursor: Cursor,
  end: number,
  field: Field,
  mask: Mask,
  entries: Map<string, DecodedValue>,
): void {
  let key = "";
  let value: DecodedValue | undefined;
  while (cursor.offset < end) {
    const at = cursor.offset;
    const tag = readVarint(cursor, end);
    const number = fieldNumber(cursor, tag, at);
    const type = wireType(tag);
    if (number === 1) {
      requireType(cursor, field, type, LENGTH_DELIMITED, at);
      const keyEnd = readPayloadEnd(cursor, end);
      key = cursor.bytes.toString("utf8", cursor.offset, keyEnd);
      cursor.offset = keyEnd;
    } else if (number === 2) {
      requireType(cursor, field, type, isVarintKind(field.kind) ? VARINT : LENGTH_DELIMITED, at);
      value = readValue(cursor, end, field, mask, undefined);
    } else {
      skipPayload(cursor, type, end);
    }
  }
  entries.set(key, value ?? zeroOf(field));
}

function zeroOf(field: Field): DecodedValue {
  if (field.message) return { message: field.message, mask: true, values: [] };
  if (field.kind === "b") return false;
  if (field.kind === "i" || field.kind === "l") return 0;
  return field.kind === "s" ? "" : new Uint8Array();
}

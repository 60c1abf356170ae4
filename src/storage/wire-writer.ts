import { LENGTH_DELIMITED } from "./wire.js";

/** A varint in its shortest form; negative numbers take ten bytes, as int32 and int64 do. */
export function encodeVarint(value: number | bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) + 0x80);
  return Uint8Array.of(...bytes, Number(rest));
}

/** Puts a number below 2^53 as a varint at an offset and returns where it ends. */
function putVarint(target: Uint8Array, offset: number, value: number): number {
  let at = offset;
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) target[at++] = (rest % 0x80) + 0x80;
  target[at] = rest;
  return at + 1;
}

/** How many bytes the shortest form of a number below 2^53 takes. */
export function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
  return size;
}

/** What stands before the payload of a field: its tag, and the payload's length where the wire type has one. */
export function encodeHead(number: number, type: number, length: number): Uint8Array {
  const tag = number * 8 + type;
  const isDelimited = type === LENGTH_DELIMITED;
  const head = new Uint8Array(varintSize(tag) + (isDelimited ? varintSize(length) : 0));
  const offset = putVarint(head, 0, tag);
  if (isDelimited) putVarint(head, offset, length);
  return head;
}

/** A field as it stands on the wire. */
export function encodeRecord(number: number, type: number, payload: Uint8Array): Uint8Array {
  return Buffer.concat([encodeHead(number, type, payload.length), payload]);
}

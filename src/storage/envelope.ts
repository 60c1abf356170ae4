import { malformed } from "./unreadable.js";
import {
  type Cursor,
  fieldNumber,
  LENGTH_DELIMITED,
  readPayloadEnd,
  readVarint,
  skipPayload,
  wireType,
} from "./wire.js";

/** Length of `k8s\0`, which stands before the envelope `k8s.io.apimachinery.pkg.runtime.Unknown`. */
export const MAGIC_LENGTH = 4;

/** Fields of `runtime.Unknown` and, inside its typeMeta, of `runtime.TypeMeta`. */
const TYPE_META = 1;
export const RAW = 2;
export const CONTENT_ENCODING = 3;
const API_VERSION = 1;
const KIND = 2;

/** What the envelope of a protobuf value says; the object's own bytes lie between `rawStart` and `rawEnd`. */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly rawStart: number;
  readonly rawEnd: number;
}

/**
 * Reads the envelope as leniently as Go: of a doubled raw the last counts, a missing one is an empty object, all else is
 * ignored. A value without kind is refused.
 */
export function readEnvelope(cursor: Cursor): Envelope {
  const envelope = { apiVersion: "", kind: "", rawStart: 0, rawEnd: 0 };
  const end = cursor.bytes.length;
  cursor.offset = MAGIC_LENGTH;
  while (cursor.offset < end) {
    const at = cursor.offset;
    const tag = readVarint(cursor, end);
    const number = fieldNumber(cursor, tag, at);
    if (number > CONTENT_ENCODING + 1) {
      skipPayload(cursor, wireType(tag), end);
      continue;
    }
    const payloadEnd = readBytes(cursor, tag, at, end);
    if (number === TYPE_META) readTypeMeta(cursor, payloadEnd, envelope);
    if (number === RAW) {
      envelope.rawStart = cursor.offset;
      envelope.rawEnd = payloadEnd;
    }
    cursor.offset = payloadEnd;
  }
  if (envelope.kind === "") throw malformed(cursor.key, MAGIC_LENGTH, "the envelope names no kind");
  return envelope;
}

function readTypeMeta(cursor: Cursor, end: number, envelope: { apiVersion: string; kind: string }): void {
  while (cursor.offset < end) {
    const at = cursor.offset;
    const tag = readVarint(cursor, end);
    const number = fieldNumber(cursor, tag, at);
    if (number > KIND) {
      skipPayload(cursor, wireType(tag), end);
      continue;
    }
    const payloadEnd = readBytes(cursor, tag, at, end);
    const text = cursor.bytes.toString("utf8", cursor.offset, payloadEnd);
    if (number === API_VERSION) envelope.apiVersion = text;
    else envelope.kind = text;
    cursor.offset = payloadEnd;
  }
}

function readBytes(cursor: Cursor, tag: number | bigint, at: number, end: number): number {
  if (wireType(tag) !== LENGTH_DELIMITED) {
    throw malformed(cursor.key, at, `the envelope has wire type ${wireType(tag)} where bytes belong`);
  }
  return readPayloadEnd(cursor, end);
}

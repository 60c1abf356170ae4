import type { Replacement } from "../storage/splice.js";
import { LENGTH_DELIMITED, VARINT } from "../storage/wire.js";
import { encodeRecord, encodeVarint } from "../storage/wire-writer.js";
import type { Field } from "./descriptor.js";
import type { FieldValue } from "./field-edit.js";
import { badPath } from "./path.js";
import type { Target } from "./resolve.js";

/** What the splice puts where the target is; throws `usage` for a value that the field cannot hold. */
export function replacementFor(target: Target, value: FieldValue | undefined): Replacement {
  const { field, element } = target.leaf;
  const type = "bil".includes(field.kind) ? VARINT : LENGTH_DELIMITED;
  if (field.message)
    throw badPath(target.path, "only strings, numbers, booleans, bytes, lists and maps of them are edited");
  if (value === undefined) return { type, payloads: [] };
  if (element || field.shape === "single") return { type, payloads: [payloadOf(target, value)] };
  if (field.shape === "list") {
    if (!isList(value)) throw badPath(target.path, "a list is expected");
    return { type, payloads: value.map((entry) => payloadOf(target, entry)) };
  }
  return { type: LENGTH_DELIMITED, payloads: entriesOf(target, value, type) };
}

function isList(value: FieldValue): value is readonly FieldValue[] {
  return Array.isArray(value);
}

/** Map entries sorted by the bytes of their keys, as every Kubernetes writer does. */
function entriesOf(target: Target, value: FieldValue, type: number): Uint8Array[] {
  if (typeof value !== "object" || value === null || isList(value))
    throw badPath(target.path, "a map is expected");
  const entries = Object.entries(value).map(([name, entry]) => ({ name: Buffer.from(name), entry }));
  entries.sort((a, b) => Buffer.compare(a.name, b.name));
  return entries.map(({ name, entry }) =>
    Buffer.concat([encodeRecord(1, LENGTH_DELIMITED, name), encodeRecord(2, type, payloadOf(target, entry))]),
  );
}

function payloadOf(target: Target, value: FieldValue): Uint8Array {
  const payload = scalarPayload(target.leaf.field, value);
  if (!payload) throw badPath(target.path, `${typeof value} does not fit the field`);
  return payload;
}

function scalarPayload({ kind }: Field, value: FieldValue): Uint8Array | undefined {
  switch (kind) {
    case "s":
      return typeof value === "string" ? Buffer.from(value) : undefined;
    case "y":
      return typeof value === "string" ? bytesOf(value) : undefined;
    case "b":
      return typeof value === "boolean" ? Uint8Array.of(value ? 1 : 0) : undefined;
    case "i":
      return integerOf(value, 32);
    default:
      return integerOf(value, 64);
  }
}

function integerOf(value: FieldValue, bits: number): Uint8Array | undefined {
  const isInteger = typeof value === "bigint" || (typeof value === "number" && Number.isSafeInteger(value));
  if (!isInteger) return undefined;
  const integer = BigInt(value);
  return integer === BigInt.asIntN(bits, integer) ? encodeVarint(integer) : undefined;
}

function bytesOf(base64: string): Uint8Array | undefined {
  const bytes = Buffer.from(base64, "base64");
  return bytes.toString("base64") === base64 ? bytes : undefined;
}

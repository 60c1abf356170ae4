import { type JsonValue, parseJson } from "../storage/json-text.js";
import { type Decoded, type DecodedField, type DecodedValue, isDecoded } from "./decode.js";
import type { Field } from "./descriptor.js";
import type { FieldValue } from "./field-edit.js";
import { microTimeText, timeText } from "./time-text.js";

/**
 * A decoded message as the API shows it, in the order of the Go struct. What is not on the wire is not shown, except
 * the null that stands for an absent list, map or pointer without omitempty.
 */
export function messageJson(key: string, decoded: Decoded): { [name: string]: FieldValue } {
  const object: { [name: string]: FieldValue } = {};
  putFields(key, decoded, object);
  return object;
}

function putFields(key: string, decoded: Decoded, object: { [name: string]: FieldValue }): void {
  const { message, mask, values } = decoded;
  for (const field of message.fields) {
    const value = values[field.index];
    if (value !== undefined) putField(key, field, value, object);
    else if (showsNull(field) && (mask === true || mask[field.index])) put(object, field.name, null);
  }
}

function putField(
  key: string,
  field: Field,
  value: DecodedField,
  object: { [name: string]: FieldValue },
): void {
  if (field.name === "" && isDecoded(value)) putFields(key, value, object);
  else if (!isOmittedZero(field, value)) {
    const json = fieldJson(key, field, value);
    if (json !== null || !field.omitZero) put(object, field.name, json);
  }
}

/** Go shows nil as null where the tag has no omitempty. */
function showsNull(field: Field): boolean {
  const canBeNil = field.shape !== "single" || field.isPointer || field.kind === "y";
  return canBeNil && !field.omitEmpty && !field.isGone;
}

/** Go's omitempty: zero scalars by value and empty bytes; structs and pointers are always shown. */
function isOmittedZero(field: Field, value: DecodedField): boolean {
  if (!field.omitEmpty || field.isPointer) return false;
  return (
    value === "" || value === 0 || value === false || (value instanceof Uint8Array && value.length === 0)
  );
}

/** A field's value as the API shows it, zero or not. */
export function fieldJson(key: string, field: Field, value: DecodedField): FieldValue {
  if (Array.isArray(value)) return value.map((element) => valueJson(key, field, element));
  if (!(value instanceof Map)) return valueJson(key, field, value);
  const object: { [name: string]: FieldValue } = {};
  const entries = [...value].sort(([a], [b]) => compareUtf8(a, b));
  for (const [name, entry] of entries) put(object, name, valueJson(key, field, entry));
  return object;
}

function valueJson(key: string, field: Field, value: DecodedValue): FieldValue {
  if (value instanceof Uint8Array) return base64(value);
  return isDecoded(value) ? structJson(key, field, value) : value;
}

/** The special kinds have a JSON form of their own (apimachinery, `MarshalJSON` of each type). */
function structJson(key: string, field: Field, value: Decoded): FieldValue {
  const [first, second, third] = value.values;
  const isEmpty = value.values.length === 0;
  switch (field.kind) {
    case "T":
      return isEmpty ? null : timeText(integerOf(first));
    case "M":
      return isEmpty ? null : microTimeText(integerOf(first), integerOf(second));
    case "Q":
      return typeof first === "string" ? first : "0";
    case "I":
      return first === 1 ? textOf(third) : integerOf(second);
    case "R":
    case "F":
      return rawJson(key, first);
    default:
      return value.message.isList ? listJson(key, value) : messageJson(key, value);
  }
}

function textOf(value: DecodedField | undefined): string {
  return typeof value === "string" ? value : "";
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
}

function integerOf(value: DecodedField | undefined): number {
  return typeof value === "number" || typeof value === "bigint" ? Number(value) : 0;
}

function rawJson(key: string, raw: DecodedField | undefined): JsonValue {
  if (!(raw instanceof Uint8Array) || raw.length === 0) return null;
  return parseJson(key, Buffer.from(raw).toString("utf8"));
}

function listJson(key: string, { message, values: [elements] }: Decoded): FieldValue {
  const [field] = message.fields;
  return field && elements !== undefined ? fieldJson(key, field, elements) : [];
}

/** `__proto__` is an ordinary name in a map of a stored object. */
function put(object: { [name: string]: FieldValue }, name: string, value: FieldValue): void {
  if (name !== "__proto__") object[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Go sorts map keys by their bytes; UTF-16 order differs where surrogates meet U+E000 to U+FFFF. */
function compareUtf8(a: string, b: string): number {
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const difference = byteRank(a.charCodeAt(index)) - byteRank(b.charCodeAt(index));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function byteRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

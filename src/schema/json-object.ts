import { decodeText, type JsonValue, parseJson } from "../storage/json-text.js";
import { malformed } from "../storage/unreadable.js";
import type { FieldValue } from "./field-edit.js";
import { parsePath } from "./path.js";

/** The object that a JSON-stored value holds; throws `malformed-object`. */
export function jsonObject(key: string, value: Uint8Array): { readonly [name: string]: JsonValue } {
  const object = parseJson(key, decodeText(key, value));
  if (isObject(object)) return object;
  throw malformed(key, 0, "the JSON is no object");
}

/** What stands at a path of a JSON-stored value; undefined if nothing does. */
export function jsonField(key: string, value: Uint8Array, path: string): FieldValue | undefined {
  return jsonPath(path).reduce<JsonValue | undefined>(memberOf, jsonObject(key, value));
}

/** A field path as names and indexes of JSON. */
export function jsonPath(path: string): (string | number)[] {
  return parsePath(path).map((segment) => {
    if (segment.kind === "index") return segment.index;
    return segment.kind === "key" ? segment.key : segment.name;
  });
}

/** Compact JSON text; a bigint's digits in full. */
export function jsonText(value: FieldValue): string {
  if (typeof value === "bigint") return value.toString();
  if (isList(value)) return `[${value.map(jsonText).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${jsonText(member)}`,
  );
  return `{${members.join(",")}}`;
}

function memberOf(value: JsonValue | undefined, segment: string | number): JsonValue | undefined {
  if (isList(value)) return typeof segment === "number" ? value[segment] : undefined;
  return isObject(value) && Object.hasOwn(value, segment) ? value[segment] : undefined;
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function isObject(value: JsonValue | undefined): value is { readonly [name: string]: JsonValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

import type { FieldEdit, FieldValue } from "./field-edit.js";

type Json = { [name: string]: unknown };

/** Whether `after` parses to what `before` parses to, with exactly the edited members changed. */
export function sameJson(before: Uint8Array, after: Uint8Array, edits: readonly FieldEdit[]): boolean {
  const expected: Json = JSON.parse(Buffer.from(before).toString("utf8"));
  for (const { path, new: value } of edits) {
    const names = (path.match(/\["(?:[^"\\]|\\.)*"\]|\[\d+\]|[^.[\]]+/g) ?? []).map(nameOf);
    set(expected, names, value);
  }
  return equal(expected, JSON.parse(Buffer.from(after).toString("utf8")));
}

function nameOf(token: string): string {
  return token.startsWith("[") ? String(JSON.parse(token.slice(1, -1))) : token;
}

function set(object: unknown, [name, ...rest]: readonly string[], value: FieldValue | undefined): void {
  if (!isObject(object) || name === undefined) return;
  if (rest.length > 0) set(object[name], rest, value);
  else if (Array.isArray(object))
    object.splice(Number(name), 1, ...(value === undefined ? [] : [plain(value)]));
  else if (value === undefined) delete object[name];
  else object[name] = plain(value);
}

function plain(value: FieldValue): unknown {
  return typeof value === "bigint" ? Number(value) : value;
}

function equal(a: unknown, b: unknown): boolean {
  if (!isObject(a) || !isObject(b)) return a === b;
  const names = Object.keys(a);
  if (Array.isArray(a) !== Array.isArray(b) || names.length !== Object.keys(b).length) return false;
  return names.every((name) => Object.hasOwn(b, name) && equal(a[name], b[name]));
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null;
}

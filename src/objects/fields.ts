import type { FieldValue } from "../schema/field-edit.js";

/** A decoded object or a part of one. */
export type Fields = { readonly [name: string]: FieldValue };

const NONE: Fields = {};

/** The value under the names, or undefined where anything on the way is missing. */
export function valueAt(fields: FieldValue | undefined, ...names: readonly string[]): FieldValue | undefined {
  let value = fields;
  for (const name of names) {
    if (!isFields(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

export function stringAt(fields: FieldValue | undefined, ...names: readonly string[]): string | undefined {
  const value = valueAt(fields, ...names);
  return typeof value === "string" ? value : undefined;
}

/** A number, also where it is written as text (a Quantity such as `"110"`, a mask in quotes). */
export function numberAt(fields: FieldValue | undefined, ...names: readonly string[]): number | undefined {
  const value = valueAt(fields, ...names);
  if (typeof value === "number") return value;
  if (typeof value === "string" && /^\d+$/.test(value)) return Number(value);
  return undefined;
}

export function objectAt(fields: FieldValue | undefined, ...names: readonly string[]): Fields {
  const value = valueAt(fields, ...names);
  return isFields(value) ? value : NONE;
}

export function stringsAt(fields: FieldValue | undefined, ...names: readonly string[]): readonly string[] {
  const value = valueAt(fields, ...names);
  return Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === "string") : [];
}

export function recordsAt(fields: FieldValue | undefined, ...names: readonly string[]): readonly Fields[] {
  const value = valueAt(fields, ...names);
  return Array.isArray(value) ? value.filter(isFields) : [];
}

function isFields(value: FieldValue | undefined): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

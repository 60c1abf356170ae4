import type { FieldValue } from "../schema/field-edit.js";

/** Absent, empty text and empty list are the same to the API, whose next write turns one into the other. */
export function sameFieldValue(left: FieldValue | undefined, right: FieldValue | undefined): boolean {
  return textOf(left) === textOf(right);
}

function textOf(value: FieldValue | undefined): string {
  const isEmpty = value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
  return isEmpty ? "" : JSON.stringify(value, (_name, part) => (typeof part === "bigint" ? `${part}` : part));
}

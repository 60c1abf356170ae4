/**
 * JSON text with bigint as decimal text, Maps as objects and bytes as base64; keys in insertion order.
 * The readers of this text know which fields are which.
 */
export function toJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, replace, indent);
}

/** `this` holds the value before a Buffer's own toJSON has turned it into a list of numbers. */
function replace(this: { readonly [name: string]: unknown }, name: string, converted: unknown): unknown {
  const value = this[name];
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Map) return Object.fromEntries(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  return converted;
}

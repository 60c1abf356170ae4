import { getNodeValue, type Node, type ParseError, parseTree } from "jsonc-parser";
import { malformed } from "./unreadable.js";

/** A parsed JSON value; integers that a double would round are bigints. */
export type JsonValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/** The text of a JSON value; throws `malformed-object` where it is no UTF-8, since it could not be written back. */
export function decodeText(key: string, value: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(value);
  } catch {
    throw malformed(key, 0, "the JSON is no valid UTF-8");
  }
}

/** What the text says; throws `malformed-object` with the byte offset of the first thing that is no JSON. */
export function parseJson(key: string, text: string): JsonValue {
  try {
    const value: JsonValue = JSON.parse(text);
    if (!/\d{16}/.test(text)) return value;
  } catch {
    const errors: ParseError[] = [];
    parseTree(text, errors, { disallowComments: true });
    throw malformed(key, Buffer.byteLength(text.slice(0, errors[0]?.offset ?? 0)), "invalid JSON");
  }
  return exactValue(text, parseTree(text));
}

/** JSON.parse rounds integers above 2^53 and gives no access to their digits; the tree does. */
function exactValue(text: string, node: Node | undefined): JsonValue {
  if (node?.type === "array") return (node.children ?? []).map((child) => exactValue(text, child));
  if (node?.type === "object") {
    const members = (node.children ?? []).map(({ children }) => [
      children?.[0]?.value,
      exactValue(text, children?.[1]),
    ]);
    return Object.fromEntries(members);
  }
  if (node?.type !== "number") return node ? getNodeValue(node) : null;
  const digits = text.slice(node.offset, node.offset + node.length);
  const isExact = Number.isSafeInteger(node.value) || !/^-?\d+$/.test(digits);
  return isExact ? node.value : BigInt(digits);
}

import { type Node, parseTree } from "jsonc-parser";
import { decodeText, parseJson } from "./json-text.js";
import { malformed } from "./unreadable.js";

/**
 * The stored JSON with the member or element at a path set to a JSON text, or removed when there is none. Every other
 * byte stays. A list index equal to the list's length appends.
 */
export function spliceJson(
  key: string,
  value: Uint8Array,
  path: readonly (string | number)[],
  to: string | undefined,
): Uint8Array {
  const text = decodeText(key, value);
  const root = treeOf(key, text);
  const parent = path
    .slice(0, -1)
    .reduce((node, segment) => childOf(key, node, segment) ?? missing(key, segment), root);
  const last = path.at(-1);
  if (last === undefined) throw new RangeError("a path without steps");
  const [start, end, put] = change(key, parent, last, to);
  return Buffer.from(text.slice(0, start) + put + text.slice(end));
}

/** JSON.parse is the judge of what is JSON; the tree only tells offsets. */
function treeOf(key: string, text: string): Node {
  parseJson(key, text);
  const tree = parseTree(text);
  if (!tree) throw malformed(key, 0, "the JSON is empty");
  return tree;
}

function childOf(key: string, node: Node, segment: string | number): Node | undefined {
  if (typeof segment === "number") {
    if (node.type !== "array") throw malformed(key, node.offset, `no list where [${segment}] is asked for`);
    return node.children?.[segment];
  }
  return memberOf(key, node, segment)?.children?.[1];
}

/** A doubled name is refused: parsers differ in which one counts. */
function memberOf(key: string, node: Node, name: string): Node | undefined {
  if (node.type !== "object") throw malformed(key, node.offset, `no object where ${name} is asked for`);
  const members = node.children?.filter((member) => member.children?.[0]?.value === name) ?? [];
  if (members.length > 1) throw malformed(key, members[1]?.offset ?? 0, `${name} is there twice`);
  return members[0];
}

function missing(key: string, segment: string | number): never {
  throw malformed(key, 0, `${segment} is not there, so nothing in it can be set`);
}

type TextEdit = readonly [start: number, end: number, put: string];

function change(key: string, parent: Node, last: string | number, to: string | undefined): TextEdit {
  const siblings = parent.children ?? [];
  const old = typeof last === "number" ? childOf(key, parent, last) : memberOf(key, parent, last);
  if (old && to === undefined) return removal(siblings, old);
  const place = typeof last === "string" ? old?.children?.[1] : old;
  if (place && to !== undefined) return [place.offset, place.offset + place.length, to];
  if (to === undefined) return [0, 0, ""];
  if (typeof last === "number" && last !== siblings.length) {
    throw malformed(key, parent.offset, `the list has ${siblings.length} elements, no [${last}]`);
  }
  const member = typeof last === "string" ? `${JSON.stringify(last)}:${to}` : to;
  const before = siblings.at(-1);
  const at = before ? before.offset + before.length : parent.offset + 1;
  return [at, at, before ? `,${member}` : member];
}

/** A member goes with the comma before it, or, being the first, with the comma behind it. */
function removal(siblings: readonly Node[], old: Node): TextEdit {
  const index = siblings.indexOf(old);
  const before = siblings[index - 1];
  const after = siblings[index + 1];
  if (before) return [before.offset + before.length, old.offset + old.length, ""];
  return [old.offset, after ? after.offset : old.offset + old.length, ""];
}

import { type Node, parseTree } from "jsonc-parser";
import { decodeText, parseJson } from "./json-text.js";
import { malformed } from "./unreadable.js";

type Segment = string | number;

/**
 * The stored JSON with the member or element at a path set to a JSON text, or removed when there is none. Every other
 * byte stays. A list index equal to the list's length appends.
 */
export function spliceJson(
  key: string,
  value: Uint8Array,
  path: readonly Segment[],
  to: string | undefined,
): Uint8Array {
  const document: Document = { key, text: decodeText(key, value) };
  const last = path.at(-1);
  if (last === undefined) throw new RangeError("a path without steps");
  let parent: Node | undefined = treeOf(document);
  for (const segment of path.slice(0, -1)) {
    parent = childOf(document, parent, segment);
    if (!parent && to === undefined) return value;
    if (!parent) throw malformed(key, 0, `${segment} is not there, so nothing in it can be set`);
  }
  const [start, end, put] =
    to === undefined ? removal(document, parent, last) : setting(document, parent, last, to);
  return Buffer.from(document.text.slice(0, start) + put + document.text.slice(end));
}

interface Document {
  readonly key: string;
  readonly text: string;
}

/** JSON.parse is the judge of what is JSON; the tree only tells offsets. */
function treeOf({ key, text }: Document): Node {
  parseJson(key, text);
  const tree = parseTree(text);
  if (!tree) throw malformed(key, 0, "the JSON is empty");
  return tree;
}

function refusal({ key, text }: Document, node: Node, why: string): Error {
  return malformed(key, Buffer.byteLength(text.slice(0, node.offset)), why);
}

function childOf(document: Document, node: Node, segment: Segment): Node | undefined {
  const slot = slotOf(document, node, segment);
  return typeof segment === "number" ? slot : slot?.children?.[1];
}

/** The list's element, or the object's member, name and value. A doubled name is refused: parsers differ in which counts. */
function slotOf(document: Document, node: Node, segment: Segment): Node | undefined {
  if (typeof segment === "number") {
    if (node.type !== "array") throw refusal(document, node, `no list where [${segment}] is asked for`);
    return node.children?.[segment];
  }
  if (node.type !== "object") throw refusal(document, node, `no object where ${segment} is asked for`);
  const members = (node.children ?? []).filter((member) => member.children?.[0]?.value === segment);
  if (members[1]) throw refusal(document, members[1], `${segment} is there twice`);
  return members[0];
}

type TextEdit = readonly [start: number, end: number, put: string];

function setting(document: Document, parent: Node, last: Segment, to: string): TextEdit {
  const old = childOf(document, parent, last);
  if (old) return [old.offset, old.offset + old.length, to];
  const siblings = parent.children ?? [];
  if (typeof last === "number" && last !== siblings.length) {
    throw refusal(document, parent, `the list has ${siblings.length} elements, no [${last}]`);
  }
  const put = typeof last === "string" ? `${JSON.stringify(last)}:${to}` : to;
  const before = siblings.at(-1);
  const at = before ? before.offset + before.length : parent.offset + 1;
  return [at, at, before ? `,${put}` : put];
}

/** A member goes with the comma before it, or, being the first, with the comma behind it. */
function removal(document: Document, parent: Node, last: Segment): TextEdit {
  const old = slotOf(document, parent, last);
  if (!old) return [0, 0, ""];
  const siblings = parent.children ?? [];
  const before = siblings[siblings.indexOf(old) - 1];
  const after = siblings[siblings.indexOf(old) + 1];
  if (before) return [before.offset + before.length, old.offset + old.length, ""];
  return [old.offset, after ? after.offset : old.offset + old.length, ""];
}

import type { FieldValue } from "./field-edit.js";
import type { RouteStep } from "./second-route.js";

/**
 * A message as protobufjs read it: `f<number>` holds a field, in an array unless it is a single message; the hidden
 * `$unknowns` holds every other record.
 */
export type Tree = { [name: string]: unknown };

/** Sets the field at the end of a route in a decoded message; undefined removes it. */
export function apply(
  tree: Tree,
  [step, ...rest]: readonly RouteStep[],
  value: FieldValue | undefined,
): void {
  if (!step) return;
  const name = `f${step.number}`;
  const old = listOf(tree[name]);
  if (rest.length > 0) {
    const inner = typeof step.pick === "number" ? old[step.pick] : tree[name];
    if (isTree(inner)) apply(inner, rest, value);
    else if (value !== undefined) tree[name] = "nothing to set a field in";
    return;
  }
  tree[name] = changed(old, step, value);
}

/** Orders the entries of the map at the end of a route by key, since an edit may choose where a new one stands. */
export function sortEntries(tree: Tree, [step, ...rest]: readonly RouteStep[]): void {
  if (!step) return;
  const inner = tree[`f${step.number}`];
  const next = typeof step.pick === "number" ? listOf(inner)[step.pick] : inner;
  if (rest.length > 0 && isTree(next)) sortEntries(next, rest);
  else if (step.shape === "map") listOf(inner).sort((a, b) => Buffer.compare(keyOf(a), keyOf(b)));
}

/** Whether two decoded messages are the same in every field and every unknown record. */
export function same(a: unknown, b: unknown): boolean {
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => same(item, b[index]));
  }
  if (isTree(a) && isTree(b)) {
    const names = Object.keys(a);
    const isSame = names.length === Object.keys(b).length && names.every((name) => same(a[name], b[name]));
    return isSame && same(unknownsOf(a), unknownsOf(b));
  }
  // protobufjs reads int64 as a Long, whose text is its digits.
  return a === b || (typeof a === "bigint" && String(a) === String(b));
}

function changed(old: readonly unknown[], step: RouteStep, value: FieldValue | undefined): unknown[] {
  if (typeof step.pick === "number") {
    return old.toSpliced(step.pick, 1, ...(value === undefined ? [] : [leaf(step, value)]));
  }
  if (typeof step.pick === "string") return changedEntries(old, Buffer.from(step.pick), step, value);
  if (value === undefined) return [];
  if (step.shape === "single") return [leaf(step, value)];
  if (Array.isArray(value)) return value.map((item) => leaf(step, item));
  return Object.entries(value ?? {}).map(([key, item]) => ({
    f1: [Buffer.from(key)],
    f2: [leaf(step, item)],
  }));
}

/** The last entry with a key counts; an edit leaves only that one. */
function changedEntries(
  old: readonly unknown[],
  key: Buffer,
  step: RouteStep,
  value: FieldValue | undefined,
): unknown[] {
  const others = old.filter((entry) => !keyOf(entry).equals(key));
  if (value === undefined) return others;
  const entry = old.findLast((candidate) => keyOf(candidate).equals(key)) ?? { f1: [key] };
  return [...others, Object.assign(entry, { f2: [leaf(step, value)] })];
}

function keyOf(entry: unknown): Buffer {
  const key = isTree(entry) ? listOf(entry["f1"]).at(-1) : undefined;
  return key instanceof Uint8Array ? Buffer.from(key) : Buffer.alloc(0);
}

/** A value in the form in which protobufjs reads it: strings are read as bytes. */
function leaf(step: RouteStep, value: FieldValue): unknown {
  if (step.kind === "s") return Buffer.from(String(value));
  if (step.kind === "y") return Buffer.from(String(value), "base64");
  return step.kind === "l" ? BigInt(String(value)) : value;
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function unknownsOf(tree: Tree): unknown[] {
  return Object.hasOwn(tree, "$unknowns") ? listOf(tree["$unknowns"]) : [];
}

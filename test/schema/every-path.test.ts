import { expect, test } from "vitest";
import { EtcdcidrError } from "../../src/errors.js";
import type { FieldValue } from "../../src/schema/field-edit.js";
import { createSecondReader } from "../../src/schema/second-reader.js";
import { descriptor, schema } from "../harness/descriptor.js";
import { type Leaf, leavesOf, otherValue } from "../harness/leaf-paths.js";
import { absentFolders, builtinVectors, vectorsFolder } from "../harness/shared.js";

const secondReader = createSecondReader(descriptor);
const KEY = "/registry/x";

/** Times, quantities and the like are not edited; a list of numbers would need other numbers than these. */
function isEdited(value: Uint8Array, { path, value: old }: Leaf): boolean {
  try {
    schema.edit(KEY, value, [{ path, new: otherValue(old) }]);
    return true;
  } catch (error) {
    if (error instanceof EtcdcidrError && error.code === "usage") return false;
    throw error;
  }
}

/** The object with the leaf set, by the names of its path. */
function withLeaf(object: unknown, path: string, value: unknown): unknown {
  const copy = structuredClone(object);
  const names = [...path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|([^.[\]]+)/g)].map(
    ([, key, index, name]) => key ?? index ?? name ?? "",
  );
  const last = names.pop() ?? "";
  const parent = names.reduce((node, name) => Object(node)[name], copy);
  Object(parent)[last] = value;
  return copy;
}

const vectors = builtinVectors(descriptor).filter(({ name }) => name.startsWith("HEAD"));

test.each(vectors)("every field of $name can be changed, alone, and back", ({ value, json }) => {
  const leaves = leavesOf(json).filter((leaf) => isEdited(value, leaf));
  expect(leaves.length).toBeGreaterThan(20);
  for (const { path, value: old } of leaves) {
    const other = otherValue(old);
    const change = [{ path, new: other }];
    const back = [{ path, new: old as FieldValue }];
    const edited = schema.edit(KEY, value, change);
    secondReader.check(KEY, value, edited, change);
    expect(schema.readField(KEY, edited, path), path).toEqual(other);
    // false is not shown where the tag has omitempty, so the leaf itself is compared above.
    const shown = withLeaf(schema.decode(KEY, edited).object, path, other);
    expect(shown, path).toEqual(withLeaf(json, path, other));
    expect(schema.readField(KEY, value, path), path).toEqual(old);
    expect(Buffer.from(schema.edit(KEY, edited, back)).equals(value), path).toBe(true);
  }
});

test.each(absentFolders(vectorsFolder))("no field could be changed: %s is absent", () => {});

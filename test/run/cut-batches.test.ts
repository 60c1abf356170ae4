import { describe, expect, test } from "vitest";
import { cutBatches } from "../../src/run/cut-batches.js";
import type { PreparedKey } from "../../src/run/prepare.js";

const MIB = 1024 * 1024;

/** Keys of six characters, so that 18 bytes are added to each value. */
function keys(...sizes: readonly number[]): PreparedKey[] {
  return sizes.map((size, index) => ({
    update: {
      change: { action: "update", key: `/k/${100 + index}`, modRevision: 1n, sha256: "", edits: [] },
      uid: "",
    },
    modRevision: 1n,
    value: new Uint8Array(),
    lostCompares: 0,
    after: new Uint8Array(size),
    sha256: "",
  }));
}

const sizesOf = (batches: readonly (readonly PreparedKey[])[]) => batches.map(({ length }) => length);

describe("in batches", () => {
  test("64 keys at most", () => {
    expect(sizesOf(cutBatches(keys(...Array(129).fill(10)), "batches"))).toEqual([64, 64, 1]);
  });

  test("1 MiB at most, keys counted", () => {
    expect(sizesOf(cutBatches(keys(MIB / 2 - 18, MIB / 2 - 18, 1), "batches"))).toEqual([2, 1]);
    expect(sizesOf(cutBatches(keys(MIB / 2 - 18, MIB / 2 - 17), "batches"))).toEqual([1, 1]);
  });

  test("a key that is larger goes alone", () => {
    expect(sizesOf(cutBatches(keys(10, 2 * MIB, 10, 10), "batches"))).toEqual([1, 1, 2]);
  });

  test("none for no keys", () => {
    expect(cutBatches([], "batches")).toEqual([]);
  });
});

test.each([
  ["one-transaction", [3]],
  ["one-node-a-transaction", [1, 1, 1]],
  ["key-by-key", [1, 1, 1]],
] as const)("%s", (mode, sizes) => {
  expect(sizesOf(cutBatches(keys(10, MIB, 10), mode))).toEqual(sizes);
  expect(cutBatches([], mode)).toEqual([]);
});

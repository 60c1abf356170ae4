import { describe, expect, test } from "vitest";
import { sameFieldValue } from "../../src/plan/same-field-value.js";

describe("field values are the same", () => {
  test.each([
    [undefined, ""],
    [undefined, []],
    ["", []],
    ["10.0.0.0/24", "10.0.0.0/24"],
    [
      ["a", "b"],
      ["a", "b"],
    ],
    [{ a: 1n }, { a: 1n }],
  ])("%o and %o", (left, right) => {
    expect(sameFieldValue(left, right)).toBe(true);
    expect(sameFieldValue(right, left)).toBe(true);
  });

  test.each([
    [undefined, "a"],
    ["", [""]],
    ["a", ["a"]],
    [
      ["a", "b"],
      ["b", "a"],
    ],
    [["a,b"], ["a", "b"]],
    ["10.0.0.0/24", "010.0.0.0/24"],
    [0, undefined],
    [false, undefined],
    [null, undefined],
  ])("not %o and %o", (left, right) => {
    expect(sameFieldValue(left, right)).toBe(false);
    expect(sameFieldValue(right, left)).toBe(false);
  });
});

import { describe, expect, test } from "vitest";
import { numberAt, objectAt, recordsAt, stringAt, stringsAt, valueAt } from "../../src/objects/fields.js";

const FIELDS = {
  text: "t",
  number: 7,
  digits: "110",
  quantity: "1k",
  list: ["a", 1, { name: "b" }, null],
  inner: { text: "i", none: null },
};

describe("a field by its names", () => {
  test("is there or undefined", () => {
    expect(valueAt(FIELDS, "inner", "text")).toBe("i");
    expect(valueAt(FIELDS, "inner", "none")).toBeNull();
    expect(valueAt(FIELDS, "inner", "none", "deeper")).toBeUndefined();
    expect(valueAt(FIELDS, "list", "0")).toBeUndefined();
    expect(valueAt(FIELDS, "toString")).toBeUndefined();
    expect(valueAt(undefined, "text")).toBeUndefined();
    expect(valueAt(FIELDS)).toBe(FIELDS);
  });

  test("of another type is not there", () => {
    expect(stringAt(FIELDS, "text")).toBe("t");
    expect(stringAt(FIELDS, "number")).toBeUndefined();
    expect(objectAt(FIELDS, "inner")).toEqual({ text: "i", none: null });
    expect(objectAt(FIELDS, "text")).toEqual({});
    expect(stringsAt(FIELDS, "list")).toEqual(["a"]);
    expect(stringsAt(FIELDS, "text")).toEqual([]);
    expect(recordsAt(FIELDS, "list")).toEqual([{ name: "b" }]);
    expect(recordsAt(FIELDS, "inner")).toEqual([]);
  });

  test("as a number may be written as text", () => {
    expect(numberAt(FIELDS, "number")).toBe(7);
    expect(numberAt(FIELDS, "digits")).toBe(110);
    expect(numberAt(FIELDS, "quantity")).toBeUndefined();
    expect(numberAt(FIELDS, "text")).toBeUndefined();
  });
});

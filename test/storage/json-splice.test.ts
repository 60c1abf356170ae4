import { describe, expect, test } from "vitest";
import { spliceJson } from "../../src/storage/json-splice.js";

const splice = (text: string, path: readonly (string | number)[], to?: string) =>
  Buffer.from(spliceJson("/registry/x", Buffer.from(text), path, to)).toString();

describe("in JSON", () => {
  test.each([
    ["a member's value", '{"a":1, "b" : "x" ,"c":[]}\n', ["b"], '"yy"', '{"a":1, "b" : "yy" ,"c":[]}\n'],
    ["an object by a text", '{"a":{"b":[1, 2]}}', ["a"], "null", '{"a":null}'],
    ["a nested element", '{"é😀":{"a":[1, 2 ,3]}}', ["é😀", "a", 1], "9", '{"é😀":{"a":[1, 9 ,3]}}'],
    ["an escaped name", '{"a\\u002fb":1}', ["a/b"], "2", '{"a\\u002fb":2}'],
    ["a name with a dot", '{"a.b":1}', ["a.b"], "2", '{"a.b":2}'],
  ])("%s is replaced", (_, text, path, to, expected) => {
    expect(splice(text, path, to)).toBe(expected);
  });

  test.each([
    ["a member in an empty object", '{"a":{ }}', ["a", "b"], "1", '{"a":{"b":1 }}'],
    ["a member behind the others", '{"a":{"x":1 }}', ["a", "b"], "1", '{"a":{"x":1,"b":1 }}'],
    ["an element in an empty list", '{"a":[]}', ["a", 0], "1", '{"a":[1]}'],
    ["an element behind the others", '{"a":[1, 2 ]}', ["a", 2], "3", '{"a":[1, 2,3 ]}'],
  ])("%s is put", (_, text, path, to, expected) => {
    expect(splice(text, path, to)).toBe(expected);
  });

  test.each([
    ["the first member", '{ "a":1, "b":2 }', ["a"], '{ "b":2 }'],
    ["the last member", '{ "a":1, "b":2 }', ["b"], '{ "a":1 }'],
    ["the only member", '{ "a":1 }', ["a"], "{  }"],
    ["an element between", "[1]".replace("1", "1, 2 , 3"), [1], "[1 , 3]"],
    ["a member that is not there", '{"a":1}', ["b"], '{"a":1}'],
    ["a member of an object that is not there", '{"a":1}', ["b", "c"], '{"a":1}'],
  ])("%s is removed", (_, text, path, expected) => {
    expect(splice(text, path)).toBe(expected);
  });

  test.each([
    ["a list where a name is asked for", '{"a":[]}', ["a", "b"], "byte 5: no object where b is asked for"],
    ["a scalar where a name is asked for", '{"é":1}', ["é", "b"], "byte 6: no object where b is asked for"],
    ["an object where an index is asked for", '{"a":{}}', ["a", 0], "byte 5: no list where [0] is asked for"],
    ["an index beyond the list", '{"a":[1]}', ["a", 2], "byte 5: the list has 1 elements, no [2]"],
    ["a doubled name", '{"a":1,"a":2}', ["a"], "byte 7: a is there twice"],
    ["a byte order mark", '\ufeff{"a":1}', ["a"], "byte 0: invalid JSON"],
  ])("%s is refused", (_, text, path, why) => {
    expect(() => splice(text, path, "1")).toThrow(
      expect.objectContaining({ code: "malformed-object", explanation: expect.objectContaining({ why }) }),
    );
  });
});

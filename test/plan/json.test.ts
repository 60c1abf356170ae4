import { expect, test } from "vitest";
import { toJson } from "../../src/plan/json.js";

test("bigint is decimal text, bytes base64, a Map an object, in the order of insertion", () => {
  const value = {
    z: 18_446_744_073_709_551_615n,
    bytes: new Uint8Array([0, 255]),
    buffer: Buffer.from([1, 2, 3]),
    map: new Map([
      ["b", 1n],
      ["a", 2n],
    ]),
    list: [undefined, null, true, "t"],
    missing: undefined,
  };
  expect(toJson(value)).toBe(
    '{"z":"18446744073709551615","bytes":"AP8=","buffer":"AQID","map":{"b":"1","a":"2"},"list":[null,null,true,"t"]}',
  );
  expect(toJson({ a: [1] }, 2)).toBe('{\n  "a": [\n    1\n  ]\n}');
});

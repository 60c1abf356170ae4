import fc from "fast-check";
import { expect, test } from "vitest";
import { overlaps } from "../../../src/cidr/cidr.js";
import { parseCidr, readStoredCidr } from "../../../src/cidr/parse.js";
import { createOverlapCounter } from "../../../src/plan/pod-cidr/overlap-counter.js";

const count = (among: string[], block: string) =>
  createOverlapCounter(among.map(parseCidr)).count(parseCidr(block));

test("counts the blocks that share an address with the given one", () => {
  const among = ["10.0.0.0/24", "10.0.0.0/24", "10.0.1.0/24", "10.0.0.128/25", "10.0.4.0/22"];
  expect(count(among, "10.0.0.0/24")).toBe(3);
  expect(count(among, "10.0.0.0/25")).toBe(2);
  expect(count(among, "10.0.0.0/16")).toBe(5);
  expect(count(among, "10.0.5.0/24")).toBe(1);
  expect(count(among, "10.0.2.0/23")).toBe(0);
  expect(count([], "10.0.0.0/8")).toBe(0);
});

test("as a comparison of each with each does", () => {
  const prefix = fc
    .tuple(fc.nat(255), fc.integer({ min: 24, max: 32 }))
    .map(([last, length]) => readStoredCidr(`10.0.0.${last}/${length}`)?.cidr ?? parseCidr("0.0.0.0/0"));
  fc.assert(
    fc.property(fc.array(prefix, { maxLength: 20 }), prefix, (among, block) => {
      const expected = among.filter((other) => overlaps(other, block)).length;
      expect(createOverlapCounter(among).count(block)).toBe(expected);
    }),
    { numRuns: 1000 },
  );
});

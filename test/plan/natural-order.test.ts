import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareNaturally } from "../../src/plan/natural-order.js";

describe("natural order", () => {
  test("numbers count as numbers, wherever they stand", () => {
    const sorted = [
      "2",
      "10",
      "a",
      "a1",
      "a1b",
      "a1b2",
      "a1b10",
      "a2",
      "a02",
      "a10",
      "b",
      "node",
      "node-1",
      "node-1.zone-2",
      "node-1.zone-10",
      "node-2",
      "node-10",
      "node-99999999999999999998",
      "node-99999999999999999999",
    ];
    expect([...sorted].reverse().sort(compareNaturally)).toEqual(sorted);
  });

  test("is a total order in which only equal names are equal", () => {
    const name = fc.stringMatching(/^[a1-90.-]{0,6}$/);
    fc.assert(
      fc.property(name, name, name, (a, b, c) => {
        expect(Math.sign(compareNaturally(a, b))).toBe(-Math.sign(compareNaturally(b, a)) + 0);
        expect(compareNaturally(a, b) === 0).toBe(a === b);
        const [low, middle, high] = [a, b, c].sort(compareNaturally) as [string, string, string];
        expect(compareNaturally(low, middle)).toBeLessThanOrEqual(0);
        expect(compareNaturally(middle, high)).toBeLessThanOrEqual(0);
        expect(compareNaturally(low, high)).toBeLessThanOrEqual(0);
      }),
      { numRuns: 2000 },
    );
  });
});

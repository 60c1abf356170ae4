import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { microTimeText, timeText } from "../../src/schema/time-text.js";

describe("a time as the API shows it", () => {
  test.each([
    [0, "1970-01-01T00:00:00Z"],
    [-1, "1969-12-31T23:59:59Z"],
    [951_782_400, "2000-02-29T00:00:00Z"],
    [1_700_000_000, "2023-11-14T22:13:20Z"],
    [-62_135_596_800, null],
    [-62_135_596_799, "0001-01-01T00:00:01Z"],
  ])("%d seconds", (seconds, text) => {
    expect(timeText(seconds)).toBe(text);
  });

  test("is that of any calendar, from year 1 to 9999", () => {
    const seconds = fc.integer({ min: -62_135_596_799, max: 253_402_300_799 });
    fc.assert(
      fc.property(seconds, (at) => {
        expect(timeText(at)).toBe(`${new Date(at * 1000).toISOString().slice(0, 19)}Z`);
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    [1_700_000_000, 0, "2023-11-14T22:13:20.000000Z"],
    [1_700_000_000, 123_456_789, "2023-11-14T22:13:20.123456Z"],
    [1_700_000_000, 999, "2023-11-14T22:13:20.000000Z"],
    [1_700_000_000, -1000, "2023-11-14T22:13:19.999999Z"],
    [-62_135_596_800, 0, null],
  ])("%d seconds and %d nanoseconds, in microseconds", (seconds, nanos, text) => {
    expect(microTimeText(seconds, nanos)).toBe(text);
  });
});

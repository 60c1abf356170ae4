import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { blockAt, blockCount } from "../../src/cidr/blocks.js";
import type { Cidr, Family } from "../../src/cidr/cidr.js";
import { overlaps, widthOf } from "../../src/cidr/cidr.js";
import { formatCidr } from "../../src/cidr/format.js";
import type { Occupancy } from "../../src/cidr/occupancy.js";
import { createOccupancy } from "../../src/cidr/occupancy.js";
import { parseCidr } from "../../src/cidr/parse.js";

describe("firstFree", () => {
  it.each([
    ["nothing", [], "10.212.0.0/16", 22, "10.212.0.0/22"],
    ["the first block", ["10.212.0.0/22"], "10.212.0.0/16", 22, "10.212.4.0/22"],
    ["the same block twice", ["10.212.0.0/22", "10.212.0.0/22"], "10.212.0.0/16", 22, "10.212.4.0/22"],
    ["one address of a block", ["10.212.3.255/32"], "10.212.0.0/16", 22, "10.212.4.0/22"],
    ["a prefix over several blocks", ["10.212.0.0/18"], "10.212.0.0/16", 22, "10.212.64.0/22"],
    ["all but a gap", ["10.212.0.0/22", "10.212.8.0/21"], "10.212.0.0/16", 22, "10.212.4.0/22"],
    ["gaps that are too small", ["10.212.1.0/24", "10.212.6.0/24"], "10.212.0.0/16", 22, "10.212.8.0/22"],
    ["both halves", ["10.212.0.0/17", "10.212.128.0/17"], "10.212.0.0/16", 22, undefined],
    ["more than the range", ["10.0.0.0/8"], "10.212.0.0/16", 22, undefined],
    ["something outside the range", ["10.211.0.0/16", "10.213.0.0/16"], "10.212.0.0/16", 22, "10.212.0.0/22"],
    ["one address of a range that is one block", ["10.212.0.7/32"], "10.212.0.0/22", 22, undefined],
    ["nothing of a range smaller than a block", [], "10.212.0.0/24", 22, undefined],
    ["nothing, but a length is too long", [], "10.212.0.0/24", 33, undefined],
    ["the first of single addresses", ["10.212.0.0/32"], "10.212.0.0/24", 32, "10.212.0.1/32"],
    ["IPv6 blocks", ["fd00:10:212::/63"], "fd00:10:212::/56", 64, "fd00:10:212:2::/64"],
    ["half of everything", ["::/1"], "::/0", 128, "8000::/128"],
  ])("with %s occupied", (_what, taken, withinText, blockLength, expected) => {
    const within = parseCidr(withinText);
    const block = occupancyOf(within.family, taken.map(parseCidr)).firstFree(within, blockLength);
    expect(block && formatCidr(block)).toBe(expected);
  });
});

describe("freeCount", () => {
  it.each([
    [[], "10.212.0.0/16", 22, 64n],
    [["10.212.3.255/32", "10.212.3.254/32", "10.212.64.0/18"], "10.212.0.0/16", 22, 47n],
    [["10.0.0.0/8"], "10.212.0.0/16", 22, 0n],
    [[], "10.212.0.0/24", 22, 0n],
    [[], "10.212.0.0/24", 33, 0n],
    [["::/1"], "::/0", 128, 1n << 127n],
    [["::/128"], "::/0", 128, (1n << 128n) - 1n],
  ])("with %j occupied in %s, blocks of /%i: %s", (taken, withinText, blockLength, expected) => {
    const within = parseCidr(withinText);
    expect(occupancyOf(within.family, taken.map(parseCidr)).freeCount(within, blockLength)).toBe(expected);
  });
});

describe("isFree", () => {
  const occupancy = occupancyOf(4, ["10.0.0.0/25", "10.0.0.128/25"].map(parseCidr));

  it.each([
    ["10.0.0.0/24", false],
    ["10.0.0.0/8", false],
    ["10.0.0.77/32", false],
    ["10.0.1.0/24", true],
    ["0.0.0.0/0", false],
  ])("%s: %s", (text, expected) => {
    expect(occupancy.isFree(parseCidr(text))).toBe(expected);
  });
});

it.each([
  ["occupy", (occupancy: Occupancy, cidr: Cidr) => occupancy.occupy(cidr)],
  ["isFree", (occupancy: Occupancy, cidr: Cidr) => occupancy.isFree(cidr)],
  ["firstFree", (occupancy: Occupancy, cidr: Cidr) => occupancy.firstFree(cidr, 64)],
  ["freeCount", (occupancy: Occupancy, cidr: Cidr) => occupancy.freeCount(cidr, 64)],
])("%s refuses the other family", (_name, call) => {
  expect(() => call(createOccupancy(4), parseCidr("fd00::/56"))).toThrow(
    expect.objectContaining({
      code: "internal",
      message: "fd00::/56 was looked up among IPv4 ranges: the families differ",
    }),
  );
});

describe("against a naive model", () => {
  it.each<[string, Family, number]>([
    ["10.212.0.0/24", 4, 24],
    ["0.0.0.0/0", 4, 0],
    ["255.255.255.0/24", 4, 24],
    ["fd00:10:212:ff00::/56", 6, 56],
    ["2001:db8::/61", 6, 61],
    ["::ff00/120", 6, 120],
  ])("in %s", (rangeText, family, rangeLength) => {
    const range = parseCidr(rangeText);
    const prefix = fc
      .nat({ max: 8 })
      .chain((bits) =>
        fc.nat({ max: 2 ** bits - 1 }).map((index) => blockAt(range, rangeLength + bits, BigInt(index))),
      );
    fc.assert(
      fc.property(fc.array(prefix, { maxLength: 40 }), prefix, fc.nat({ max: 8 }), (taken, within, bits) => {
        const blockLength = Math.min(rangeLength + bits, widthOf(family));
        const occupancy = occupancyOf(family, taken);
        const free = naiveFree(taken, within, blockLength);
        expect(occupancy.firstFree(within, blockLength)).toEqual(free[0]);
        expect(occupancy.freeCount(within, blockLength)).toBe(BigInt(free.length));
        expect(occupancy.isFree(within)).toBe(!taken.some((cidr) => overlaps(cidr, within)));
      }),
      { numRuns: 2000 },
    );
  });
});

// Looking at each block or each gap in turn would take 10^8 steps and more.
describe("at the size of the largest clusters", { timeout: 5000 }, () => {
  it("gives 15,000 blocks of /26 out of a /8 in which 15,000 are taken, in order", () => {
    const range = parseCidr("10.0.0.0/8");
    const taken = Array.from({ length: 15_000 }, (_, i) => blockAt(range, 26, BigInt(2 * i)));
    const given = takeAll(range, 26, taken, 15_000);
    expect(given).toEqual(Array.from({ length: 15_000 }, (_, i) => blockAt(range, 26, BigInt(2 * i + 1))));
  });

  it("passes 15,000 gaps that are too small on each of 15,000 calls", () => {
    const range = parseCidr("10.0.0.0/8");
    const taken = Array.from({ length: 15_000 }, (_, i) => blockAt(range, 27, BigInt(2 * i)));
    const given = takeAll(range, 26, taken, 15_000);
    expect(given).toEqual(Array.from({ length: 15_000 }, (_, i) => blockAt(range, 26, BigInt(15_000 + i))));
  });

  it("gives 15,000 blocks of IPv6", () => {
    const range = parseCidr("fd00::/48");
    const taken = Array.from({ length: 15_000 }, (_, i) => blockAt(range, 64, BigInt(2 * i)));
    const given = takeAll(range, 64, taken, 15_000);
    expect(given).toEqual(Array.from({ length: 15_000 }, (_, i) => blockAt(range, 64, BigInt(2 * i + 1))));
  });
});

function occupancyOf(family: Family, taken: readonly Cidr[]): Occupancy {
  const occupancy = createOccupancy(family);
  for (const cidr of taken) occupancy.occupy(cidr);
  return occupancy;
}

function takeAll(range: Cidr, blockLength: number, taken: readonly Cidr[], count: number) {
  const occupancy = occupancyOf(range.family, taken);
  return Array.from({ length: count }, () => {
    const block = occupancy.firstFree(range, blockLength);
    occupancy.occupy(block ?? range);
    return block;
  });
}

function naiveFree(taken: readonly Cidr[], within: Cidr, blockLength: number): Cidr[] {
  return Array.from({ length: Number(blockCount(within, blockLength)) }, (_, i) =>
    blockAt(within, blockLength, BigInt(i)),
  ).filter((block) => !taken.some((cidr) => overlaps(cidr, block)));
}

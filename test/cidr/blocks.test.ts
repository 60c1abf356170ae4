import { describe, expect, it } from "vitest";
import { addressCount, blockAt, blockCount, blockIndex, usableHosts } from "../../src/cidr/blocks.js";
import { formatCidr } from "../../src/cidr/format.js";
import { parseCidr } from "../../src/cidr/parse.js";
import { EtcdcidrError } from "../../src/errors.js";

// The table of kube-controller-manager's index -> subnet, one row a subnet.
const BLOCKS: [string, number, bigint, string][] = [
  ["10.244.0.0/16", 24, 0n, "10.244.0.0/24"],
  ["10.244.0.0/16", 24, 255n, "10.244.255.0/24"],
  ["10.0.0.0/8", 26, 5n, "10.0.1.64/26"],
  ["10.0.0.0/8", 26, 300n, "10.0.75.0/26"],
  ["10.99.0.0/18", 25, 127n, "10.99.63.128/25"],
  ["fd00:10:244::/56", 64, 1n, "fd00:10:244:1::/64"],
  ["fd00:10:244::/56", 64, 255n, "fd00:10:244:ff::/64"],
  ["fd00::/48", 64, 65535n, "fd00:0:0:ffff::/64"],
  ["2001:db8::/56", 72, 300n, "2001:db8:0:1:2c00::/72"],
];

describe("kube-controller-manager's blocks", () => {
  it.each(BLOCKS)("%s in blocks of /%i: number %s is %s", (range, mask, index, block) => {
    expect(formatCidr(blockAt(parseCidr(range), mask, index))).toBe(block);
    expect(blockIndex(parseCidr(range), mask, parseCidr(block))).toBe(index);
  });

  it.each([
    ["10.244.0.0/16", 24, 256n],
    ["10.244.0.0/16", 16, 1n],
    ["10.2.225.0/24", 24, 1n],
    ["10.2.225.0/24", 27, 8n],
    ["10.42.0.0/16", 23, 128n],
    ["0.0.0.0/0", 32, 1n << 32n],
    ["::/0", 128, 1n << 128n],
    ["10.244.0.0/16", 15, 0n],
    ["10.244.0.0/16", 33, 0n],
    ["fd00::/48", 129, 0n],
  ])("%s has room for blocks of /%i: %s", (range, mask, count) => {
    expect(blockCount(parseCidr(range), mask)).toBe(count);
  });

  it.each([
    ["inside a block", "10.244.3.128/25", 24, 3n],
    ["the host bits of the last block", "10.244.255.255/32", 24, 255n],
    ["over several blocks", "10.244.2.0/23", 24, 2n],
    ["the range itself", "10.244.0.0/16", 24, 0n],
    ["around the range", "10.0.0.0/8", 24, 0n],
    ["below the range", "10.243.255.0/24", 24, undefined],
    ["above the range", "10.245.0.0/24", 24, undefined],
    ["of the other family", "fd00::/64", 24, undefined],
    ["in a range without such blocks", "10.244.3.0/24", 15, undefined],
  ])("a prefix %s", (_where, cidr, mask, index) => {
    expect(blockIndex(parseCidr("10.244.0.0/16"), mask, parseCidr(cidr))).toBe(index);
  });

  it.each([
    ["10.244.0.0/16", 24, 256n, "the range has 256 such blocks"],
    ["10.244.0.0/16", 24, -1n, "the range has 256 such blocks"],
    ["10.244.0.0/16", 15, 0n, "the range has 0 such blocks"],
    ["10.244.0.0/16", 33, 0n, "the range has 0 such blocks"],
  ])("%s has no block of /%i with number %s", (range, mask, index, why) => {
    expect(() => blockAt(parseCidr(range), mask, index)).toThrow(
      new EtcdcidrError("internal", {
        what: `there is no block ${index} of length ${mask} in ${range}`,
        why,
        now: "no plan was made",
        next: "report this",
      }),
    );
  });
});

describe("addresses", () => {
  it.each([
    ["10.42.0.0/24", 256n, 254n],
    ["10.42.0.0/23", 512n, 510n],
    ["10.2.225.0/27", 32n, 30n],
    ["10.2.63.80/28", 16n, 14n],
    ["0.0.0.0/0", 4294967296n, 4294967294n],
    ["10.0.0.0/31", 2n, 0n],
    ["10.0.0.0/32", 1n, 0n],
    ["fd00:10:244::/64", 1n << 64n, (1n << 64n) - 1n],
    ["fd00::/127", 2n, 1n],
    ["fd00::/128", 1n, 0n],
  ])("%s has %s, of which hosts can have %s", (text, all, usable) => {
    expect([addressCount(parseCidr(text)), usableHosts(parseCidr(text))]).toEqual([all, usable]);
  });
});

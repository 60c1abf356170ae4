import { describe, expect, it } from "vitest";
import { blockAt, blockCount, blockIndex } from "../../src/cidr/blocks.js";
import { containsAddress } from "../../src/cidr/cidr.js";
import { formatAddress, formatCidr } from "../../src/cidr/format.js";
import { parseAddress, parseCidr } from "../../src/cidr/parse.js";
import { isPrivate } from "../../src/cidr/special-ranges.js";

describe("C22: pool equal to the node mask, host bits set", () => {
  it("refuses 172.20.0.0/12 and suggests 172.16.0.0/12", () => {
    expect(() => parseCidr("172.20.0.0/12")).toThrow(
      expect.objectContaining({
        code: "invalid-cidr",
        explanation: {
          what: '"172.20.0.0/12" cannot be used as a CIDR',
          why: "bits after the first 12 are set: the range that 172.20.0.0 lies in is 172.16.0.0/12",
          now: "nothing was written",
          next: "write 172.16.0.0/12 if that range is meant",
        },
      }),
    );
  });

  it("has room for one node at mask 12", () => {
    expect(blockCount(parseCidr("172.16.0.0/12"), 12)).toBe(1n);
  });
});

describe("C34: a range that covers a node's address", () => {
  it("refuses 10.20.0.0/8, whose range covers the node 10.0.0.5", () => {
    expect(() => parseCidr("10.20.0.0/8")).toThrow(
      expect.objectContaining({
        explanation: expect.objectContaining({ next: "write 10.0.0.0/8 if that range is meant" }),
      }),
    );
    expect(containsAddress(parseCidr("10.0.0.0/8"), parseAddress("10.0.0.5"))).toBe(true);
  });

  it("tells a node inside 10.20.0.0/16 from one outside", () => {
    const range = parseCidr("10.20.0.0/16");
    expect(containsAddress(range, parseAddress("10.20.3.4"))).toBe(true);
    expect(containsAddress(range, parseAddress("10.0.0.5"))).toBe(false);
  });
});

describe("C88: public ranges used as private", () => {
  it.each([
    ["172.168.0.0/16", false],
    ["192.169.0.0/16", false],
    ["101.64.0.0/10", false],
    ["100.64.0.0/10", true],
  ])("%s is private: %s", (text, expected) => {
    expect(isPrivate(parseCidr(text))).toBe(expected);
  });
});

describe("C98: an address whose first byte is zero", () => {
  const range = parseCidr("fc::/112");

  it("keeps all sixteen bytes: offset 257 in fc::/112 is fc::101", () => {
    expect(formatCidr(blockAt(range, 128, 257n))).toBe("fc::101/128");
    expect(formatAddress(6, range.base + 257n)).toBe("fc::101");
    expect(blockIndex(range, 128, parseCidr("fc::101/128"))).toBe(257n);
  });

  it("reads fc:: as thirty hex digits behind two zeros", () => {
    expect(range.base).toBe(0x00fc_0000_0000_0000_0000_0000_0000_0000n);
    expect(formatCidr(range)).toBe("fc::/112");
  });
});

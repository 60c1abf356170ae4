import { describe, expect, it } from "vitest";
import { formatCidr } from "../../src/cidr/format.js";
import { parseAddress, parseCidr, parseCidrList } from "../../src/cidr/parse.js";
import { EtcdcidrError } from "../../src/errors.js";

const MALFORMED =
  "it has neither four decimal numbers from 0 to 255 with dots between them nor the form of an IPv6 address";
const IN_FULL = "write an address in full, like 10.244.0.0 or fd00:10:244::";
const OCTAL = "a number has a leading zero, which some programs read as octal";
const NO_ZEROS = "write each number in decimal without leading zeros";
const LENGTH_4 = "the prefix length is not a whole number from 0 to 32 without leading zeros";
const LENGTH_6 = "the prefix length is not a whole number from 0 to 128 without leading zeros";
const ONE_SLASH = "write the address, one slash, and such a number";
const MAPPED = "it is an IPv4 address written as IPv6";

describe("parseCidr", () => {
  it.each([
    ["10.244.0.0/16", { family: 4, base: 0x0af40000n, length: 16 }],
    ["0.0.0.0/0", { family: 4, base: 0n, length: 0 }],
    ["255.255.255.255/32", { family: 4, base: 0xffffffffn, length: 32 }],
    ["fd00:10:244::/56", { family: 6, base: 0xfd00_0010_0244_0000_0000_0000_0000_0000n, length: 56 }],
    ["::/0", { family: 6, base: 0n, length: 0 }],
    ["::1/128", { family: 6, base: 1n, length: 128 }],
    ["FD00:0010:0:0:0:0:0:0/32", { family: 6, base: 0xfd00_0010n << 96n, length: 32 }],
    ["64:ff9b::10.0.0.0/120", { family: 6, base: 0x64_ff9b_0000_0000_0000_0000_0a00_0000n, length: 120 }],
    ["1:2:3:4:5:6:7::/112", { family: 6, base: 0x1_0002_0003_0004_0005_0006_0007_0000n, length: 112 }],
  ])("reads %s", (text, cidr) => {
    expect(parseCidr(text)).toEqual(cidr);
  });

  it.each([
    ["010.0.0.0/8", OCTAL, NO_ZEROS],
    ["10.1/16", MALFORMED, IN_FULL],
    ["0x0a000000/8", MALFORMED, IN_FULL],
    ["167772160/8", MALFORMED, IN_FULL],
    ["300.0.0.0/8", MALFORMED, IN_FULL],
    [" 10.0.0.0/8", "it contains white space", "leave out the white space"],
    ["1::2::3/64", MALFORMED, IN_FULL],
    ["10.0.0.0/33", LENGTH_4, ONE_SLASH],
    ["fd00::/129", LENGTH_6, ONE_SLASH],
    ["10.0.0.0/-1", LENGTH_4, ONE_SLASH],
    ["10.0.0.0/8/8", LENGTH_4, ONE_SLASH],
    ["10.0.0.0/08", LENGTH_4, ONE_SLASH],
    ["10.0.0.0", "it has no prefix length", "add one after a slash; the address alone is 10.0.0.0/32"],
    [
      "10.244.1.7/16",
      "bits after the first 16 are set: the range that 10.244.1.7 lies in is 10.244.0.0/16",
      "write 10.244.0.0/16 if that range is meant",
    ],
    ["fe80::1%eth0/64", "it has a zone", "leave out the % and what follows it"],
    ["::ffff:10.0.0.0/104", MAPPED, "write the IPv4 address itself, 10.0.0.0"],
  ])("refuses %j, of the table of what libraries let pass", (text, why, next) => {
    expect(refusal(() => parseCidr(text))).toEqual({
      code: "invalid-cidr",
      explanation: {
        what: `${JSON.stringify(text)} cannot be used as a CIDR`,
        why,
        now: "nothing was written",
        next,
      },
    });
  });

  it.each([
    ["", MALFORMED],
    ["/8", MALFORMED],
    ["10.0.0.0/", LENGTH_4],
    ["10.0.0.0/8.0", LENGTH_4],
    ["10.0.0.0/1e1", LENGTH_4],
    ["10.0.0.0/+8", LENGTH_4],
    ["10.0.0.0/٨", LENGTH_4],
    ["10.0.0.0/999999999999999999999999", LENGTH_4],
    ["10.0.0.0/255.0.0.0", LENGTH_4],
    ["10.0.0.0/8 ", "it contains white space"],
    ["10.0.0.0/8\n", "it contains white space"],
    ["10.0.0.00/8", OCTAL],
    ["10.0.0.0.0/8", MALFORMED],
    ["10.0.0./8", MALFORMED],
    ["-10.0.0.0/8", MALFORMED],
    ["64:ff9b::010.0.0.0/120", OCTAL],
    ["64:ff9b::10.0.0/120", MALFORMED],
    ["fd00:00010::/32", MALFORMED],
    ["12345::/64", MALFORMED],
    ["g::/64", MALFORMED],
    [":::/64", MALFORMED],
    [":fd00::/64", MALFORMED],
    ["fd00:/64", MALFORMED],
    ["1:2:3:4:5:6:7/64", MALFORMED],
    ["1:2:3:4:5:6:7:8:9/64", MALFORMED],
    ["1:2:3:4::5:6:7:8/64", MALFORMED],
    ["1.2.3.4::/64", MALFORMED],
    ["::ffff:0:0/96", MAPPED],
    ["fd00::1", "it has no prefix length"],
  ])("refuses %j", (text, why) => {
    expect(refusal(() => parseCidr(text)).explanation?.why).toBe(why);
  });

  it("shows control characters of a refused text escaped", () => {
    expect(refusal(() => parseCidr("\u001b[2J/8")).explanation?.what).toBe(
      '"\\u001b[2J/8" cannot be used as a CIDR',
    );
  });
});

describe("parseCidrList", () => {
  it.each([
    ["10.244.0.0/16", ["10.244.0.0/16"]],
    ["10.244.0.0/16,fd00:10:244::/56", ["10.244.0.0/16", "fd00:10:244::/56"]],
    ["fd00:10:244::/56,10.244.0.0/16", ["fd00:10:244::/56", "10.244.0.0/16"]],
  ])("keeps the order of %s", (text, expected) => {
    expect(parseCidrList(text).map(formatCidr)).toEqual(expected);
  });

  it.each(["10.244.0.0/16,10.245.0.0/16", "fd00::/56,fd01::/56", "10.244.0.0/16,fd00::/56,10.245.0.0/16"])(
    "refuses %s as a list",
    (text) => {
      expect(refusal(() => parseCidrList(text))).toEqual({
        code: "invalid-cidr",
        explanation: {
          what: `"${text}" cannot be used as a list of CIDRs`,
          why: "a cluster has one range, or two of which one is IPv4 and one IPv6",
          now: "nothing was written",
          next: "give one CIDR, or one of each family with a comma between them",
        },
      });
    },
  );

  it.each([
    ["", '"" cannot be used as a CIDR'],
    ["10.244.0.0/16,", '"" cannot be used as a CIDR'],
    ["10.244.0.0/16, fd00::/56", '" fd00::/56" cannot be used as a CIDR'],
    ["10.244.0.0/16;fd00::/56", '"10.244.0.0/16;fd00::/56" cannot be used as a CIDR'],
  ])("refuses a part of %j", (text, what) => {
    expect(refusal(() => parseCidrList(text)).explanation?.what).toBe(what);
  });
});

describe("parseAddress", () => {
  it.each([
    ["10.0.0.5", { family: 4, value: 0x0a000005n }],
    ["fc::101", { family: 6, value: 0xfc_0000_0000_0000_0000_0000_0000_0101n }],
  ])("reads %s", (text, address) => {
    expect(parseAddress(text)).toEqual(address);
  });

  it.each([
    ["010.0.0.5", OCTAL, NO_ZEROS],
    ["10.0.5", MALFORMED, IN_FULL],
    ["10.0.0.5/32", MALFORMED, IN_FULL],
    ["fe80::1%eth0", "it has a zone", "leave out the % and what follows it"],
    ["::ffff:a00:5", MAPPED, "write the IPv4 address itself, 10.0.0.5"],
    ["10.0.0.5 ", "it contains white space", "leave out the white space"],
  ])("refuses %j", (text, why, next) => {
    expect(refusal(() => parseAddress(text))).toEqual({
      code: "invalid-cidr",
      explanation: {
        what: `${JSON.stringify(text)} cannot be used as an address`,
        why,
        now: "nothing was written",
        next,
      },
    });
  });
});

function refusal(call: () => unknown): Partial<Pick<EtcdcidrError, "code" | "explanation">> {
  try {
    return { code: "internal", explanation: { what: "", why: String(call()), now: "", next: "" } };
  } catch (error) {
    expect(error).toBeInstanceOf(EtcdcidrError);
    const { code, explanation } = error as EtcdcidrError;
    return { code, explanation };
  }
}

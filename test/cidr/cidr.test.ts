import { describe, expect, it } from "vitest";
import {
  contains,
  containsAddress,
  equals,
  lastAddress,
  overlaps,
  smallestEnclosing,
  widthOf,
} from "../../src/cidr/cidr.js";
import { formatAddress, formatCidr } from "../../src/cidr/format.js";
import { parseAddress, parseCidr } from "../../src/cidr/parse.js";

describe("two prefixes", () => {
  it.each([
    // a, b, a contains b, b contains a, overlap
    ["10.244.0.0/16", "10.244.0.0/16", true, true, true],
    ["10.244.0.0/16", "10.244.255.0/24", true, false, true],
    ["10.244.0.0/16", "10.245.0.0/24", false, false, false],
    ["10.0.0.0/25", "10.0.0.128/25", false, false, false],
    ["0.0.0.0/0", "255.255.255.255/32", true, false, true],
    ["fd00::/8", "fd00:10:244::/56", true, false, true],
    ["fd00:10:244::/64", "fd00:10:244:1::/64", false, false, false],
    ["::/0", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128", true, false, true],
    ["0.0.0.0/0", "::/0", false, false, false],
    ["::/0", "10.0.0.0/8", false, false, false],
  ])("%s and %s", (aText, bText, aContainsB, bContainsA, overlap) => {
    const a = parseCidr(aText);
    const b = parseCidr(bText);
    expect([contains(a, b), contains(b, a), overlaps(a, b), overlaps(b, a)]).toEqual([
      aContainsB,
      bContainsA,
      overlap,
      overlap,
    ]);
  });

  it("are equal when family, base and length are", () => {
    const cidr = parseCidr("10.0.0.0/8");
    expect(equals(cidr, parseCidr("10.0.0.0/8"))).toBe(true);
    expect(equals(cidr, parseCidr("10.0.0.0/9"))).toBe(false);
    expect(equals(cidr, parseCidr("11.0.0.0/8"))).toBe(false);
    expect(equals(parseCidr("0.0.0.0/0"), parseCidr("::/0"))).toBe(false);
  });
});

it.each([
  ["10.244.0.0/24", "10.244.0.0", true],
  ["10.244.0.0/24", "10.244.0.255", true],
  ["10.244.0.0/24", "10.244.1.0", false],
  ["10.244.0.0/24", "10.243.255.255", false],
  ["fc00::/7", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true],
  ["fc00::/7", "fe00::", false],
  ["::/0", "10.0.0.1", false],
])("%s holds %s: %s", (cidr, address, expected) => {
  expect(containsAddress(parseCidr(cidr), parseAddress(address))).toBe(expected);
});

it.each([
  ["10.0.0.0/8", "10.255.255.255"],
  ["0.0.0.0/0", "255.255.255.255"],
  ["192.0.2.7/32", "192.0.2.7"],
  ["fd00:10:244::/56", "fd00:10:244:ff:ffff:ffff:ffff:ffff"],
  ["fc::/112", "fc::ffff"],
])("the last address of %s is %s", (text, last) => {
  const cidr = parseCidr(text);
  expect(formatAddress(cidr.family, lastAddress(cidr))).toBe(last);
});

describe("smallestEnclosing", () => {
  it.each([
    [["10.112.0.0/24", "10.112.3.0/24"], "10.112.0.0/22"],
    [["10.112.3.0/24"], "10.112.3.0/24"],
    [["10.112.3.7/32", "10.112.3.7/32"], "10.112.3.7/32"],
    [["10.112.0.0/24", "10.112.0.0/26"], "10.112.0.0/24"],
    [["10.112.0.64/26", "10.112.0.0/24"], "10.112.0.0/24"],
    [["10.112.1.0/24", "10.112.2.0/24", "10.113.0.0/16"], "10.112.0.0/15"],
    [["0.0.0.0/32", "255.255.255.255/32"], "0.0.0.0/0"],
    [["fd00:10:244::/64", "fd00:10:244:ff::/64"], "fd00:10:244::/56"],
    [["::/128", "8000::/128"], "::/0"],
  ])("of %j is %s", (texts, expected) => {
    const enclosing = smallestEnclosing(texts.map(parseCidr));
    expect(enclosing && formatCidr(enclosing)).toBe(expected);
  });

  it("is undefined for no prefixes and for a mix of families", () => {
    expect(smallestEnclosing([])).toBeUndefined();
    expect(smallestEnclosing([parseCidr("10.0.0.0/8"), parseCidr("fd00::/8")])).toBeUndefined();
  });
});

it("knows the width of both families", () => {
  expect([widthOf(4), widthOf(6)]).toEqual([32, 128]);
});

import { expect, it } from "vitest";
import { formatCidr } from "../../src/cidr/format.js";
import { readStoredCidr } from "../../src/cidr/parse.js";

// Each right-hand side is what k8s.io/utils/net ParseCIDRSloppy and Go's IPNet.String() gave for the left.
it.each([
  ["10.244.1.0/24", "10.244.1.0/24", true],
  ["fd00:10:244:1::/64", "fd00:10:244:1::/64", true],
  ["::/0", "::/0", true],
  ["010.008.011.012/032", "10.8.11.12/32", false],
  ["10.244.001.0/24", "10.244.1.0/24", false],
  ["10.0.0.0/08", "10.0.0.0/8", false],
  ["10.244.1.7/24", "10.244.1.0/24", false],
  ["FD00:10:244:1::/64", "fd00:10:244:1::/64", false],
  ["fd00:0010:0244:0001:0:0:0:0/64", "fd00:10:244:1::/64", false],
  ["fd00:00010::1/032", "fd00:10::/32", false],
  ["fd00:10:244:1::5/64", "fd00:10:244:1::/64", false],
  ["64:ff9b::010.0.0.7/120", "64:ff9b::a00:0/120", false],
  ["::ffff:10.0.0.0/104", "10.0.0.0/8", false],
  ["::ffff:0a01:0203/128", "10.1.2.3/32", false],
  ["::ffff:10.1.2.3/95", "::fffe:0:0/95", false],
])("reads %s as %s", (text, expected, canonical) => {
  const stored = readStoredCidr(text);
  expect(stored && { text: formatCidr(stored.cidr), canonical: stored.canonical }).toEqual({
    text: expected,
    canonical,
  });
});

it("takes a v4-mapped prefix for IPv4, as Kubernetes does", () => {
  expect(readStoredCidr("::ffff:10.0.0.0/104")?.cidr).toEqual({ family: 4, base: 0x0a000000n, length: 8 });
});

it.each([
  "",
  "10.244.1.0",
  "10.244.1.0/",
  "10.244.1.0/33",
  "10.244.1.0/-1",
  "10.244.1.0/24/24",
  "10.244.1.0/24 ",
  " 10.244.1.0/24",
  "10.244.1.0/24\n",
  "10.244.1/24",
  "10.244.1.256/24",
  "0x0a.0.0.0/8",
  "fd00::/129",
  "fe80::1%eth0/64",
  "1::2::3/64",
  "1:2:3:4::5:6:7:8/64",
  "12345::/64",
  "::a1.2.3.4/128",
  "garbage",
])("cannot read %j", (text) => {
  expect(readStoredCidr(text)).toBeUndefined();
});

import { expect, it } from "vitest";
import { formatAddress, formatCidr } from "../../src/cidr/format.js";

it.each([
  [0n, "0.0.0.0"],
  [0x0af40001n, "10.244.0.1"],
  [0x80000000n, "128.0.0.0"],
  [0xffffffffn, "255.255.255.255"],
])("IPv4 %s is %s", (value, text) => {
  expect(formatAddress(4, value)).toBe(text);
});

it.each([
  // RFC 5952: section 4.1 leading zeros, 4.2.1 shorten as much as possible, 4.2.2 no single group, 4.2.3 longest, then first; 4.3 lower case
  [0n, "::"],
  [1n, "::1"],
  [0x00010000_00000000_00000000_00000000n, "1::"],
  [0x20010db8_00000000_00000000_00020001n, "2001:db8::2:1"],
  [0x20010db8_00000001_00010001_00010001n, "2001:db8:0:1:1:1:1:1"],
  [0x20010000_00000001_00000000_00000001n, "2001:0:0:1::1"],
  [0x20010db8_00000000_00010000_00000001n, "2001:db8::1:0:0:1"],
  [0x20010db8_aaaabbbb_ccccdddd_eeee0001n, "2001:db8:aaaa:bbbb:cccc:dddd:eeee:1"],
  [0x00000001_00010001_00010001_00010000n, "0:1:1:1:1:1:1:0"],
  [0x00000000_00010001_00010001_00010001n, "::1:1:1:1:1:1"],
  [0x00010001_00010001_00010001_00000000n, "1:1:1:1:1:1::"],
  [(1n << 128n) - 1n, "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
])("IPv6 %s is %s", (value, text) => {
  expect(formatAddress(6, value)).toBe(text);
});

it("writes a prefix with its length", () => {
  expect(formatCidr({ family: 4, base: 0x0a000000n, length: 8 })).toBe("10.0.0.0/8");
  expect(formatCidr({ family: 6, base: 0n, length: 0 })).toBe("::/0");
});

import { expect, it } from "vitest";
import { parseCidr } from "../../src/cidr/parse.js";
import { isPrivate } from "../../src/cidr/special-ranges.js";

it.each([
  ["10.0.0.0/8", true],
  ["10.244.0.0/16", true],
  ["172.16.0.0/12", true],
  ["172.31.255.0/24", true],
  ["192.168.0.0/16", true],
  ["100.64.0.0/10", true],
  ["fc00::/7", true],
  ["fd00:10:244::/56", true],
  ["8.0.0.0/7", false],
  ["11.0.0.0/8", false],
  ["172.0.0.0/8", false],
  ["172.32.0.0/16", false],
  ["192.168.0.0/15", false],
  ["100.0.0.0/10", false],
  ["100.128.0.0/10", false],
  ["0.0.0.0/0", false],
  ["2001:db8::/32", false],
  ["fe80::/10", false],
  ["fc00::/6", false],
  ["::/0", false],
])("%s is private: %s", (text, expected) => {
  expect(isPrivate(parseCidr(text))).toBe(expected);
});

import type { Cidr, Family } from "./cidr.js";

/** `formatAddress` of the base, a slash, the length. */
export function formatCidr(cidr: Cidr): string {
  return `${formatAddress(cidr.family, cidr.base)}/${cidr.length}`;
}

/** Dotted decimal for IPv4; for IPv6 the one text that RFC 5952 section 4 allows. */
export function formatAddress(family: Family, value: bigint): string {
  return family === 4 ? formatIPv4(Number(value)) : formatIPv6(value);
}

function formatIPv4(value: number): string {
  return `${value >>> 24}.${(value >>> 16) & 255}.${(value >>> 8) & 255}.${value & 255}`;
}

function formatIPv6(value: bigint): string {
  // Without the padding fc00::'s leading zero byte would be lost and every group shifted.
  const hex = value.toString(16).padStart(32, "0");
  const groups = Array.from({ length: 8 }, (_, i) =>
    Number.parseInt(hex.slice(4 * i, 4 * i + 4), 16).toString(16),
  );
  const zeros = longestZeroRun(groups);
  if (zeros.length < 2) return groups.join(":");
  return `${groups.slice(0, zeros.start).join(":")}::${groups.slice(zeros.start + zeros.length).join(":")}`;
}

/** RFC 5952 section 4.2: the longest run is shortened, the first one of equals, and never a single group. */
function longestZeroRun(groups: readonly string[]): { start: number; length: number } {
  let longest = { start: 0, length: 0 };
  let length = 0;
  groups.forEach((group, i) => {
    length = group === "0" ? length + 1 : 0;
    if (length > longest.length) longest = { start: i + 1 - length, length };
  });
  return longest;
}

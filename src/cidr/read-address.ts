import type { Address } from "./cidr.js";

/**
 * Reads an address as Go's net.ParseIP did until 1.16, which Kubernetes keeps for stored values
 * (k8s.io/utils/net, ParseIPSloppy): leading zeros mean nothing. A v4-mapped address is IPv6 here. Undefined if it is none.
 */
export function readAddress(text: string): Address | undefined {
  const octets = readOctets(text);
  if (octets !== undefined) {
    return { family: 4, value: BigInt(octets.reduce((value, octet) => value * 256 + octet, 0)) };
  }
  const groups = readGroups(text);
  return groups && { family: 6, value: BigInt(`0x${hexOf(groups, 4)}`) };
}

function hexOf(parts: readonly number[], digits: number): string {
  return parts.map((part) => part.toString(16).padStart(digits, "0")).join("");
}

const DOTTED = /^([0-9]+)\.([0-9]+)\.([0-9]+)\.([0-9]+)$/;

function readOctets(text: string): number[] | undefined {
  const values = DOTTED.exec(text)?.slice(1).map(Number);
  return values?.every((value) => value <= 255) ? values : undefined;
}

/** The eight groups of RFC 4291 section 2.2: `::` stands for one group or more, the last two may be dotted decimal. */
function readGroups(text: string): number[] | undefined {
  const halves = dottedToHex(text).split("::");
  const [head, tail] = halves.map((half) => (half === "" ? [] : half.split(":")));
  if (head === undefined || halves.length > 2) return undefined;
  const written = [...head, ...(tail ?? [])];
  if (!written.every((group) => /^0*[0-9a-f]{1,4}$/i.test(group))) return undefined;
  if (tail === undefined ? written.length !== 8 : written.length > 7) return undefined;
  const zeros = Array.from({ length: 8 - written.length }, () => "0");
  return [...head, ...zeros, ...(tail ?? [])].map((group) => Number.parseInt(group, 16));
}

function dottedToHex(text: string): string {
  const dotted = /[0-9]+\.[0-9.]*$/.exec(text);
  const octets = dotted ? readOctets(dotted[0]) : undefined;
  if (dotted === null || octets === undefined) return text;
  const hex = hexOf(octets, 2);
  return `${text.slice(0, dotted.index)}${hex.slice(0, 4)}:${hex.slice(4)}`;
}

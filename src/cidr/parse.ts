import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import type { Address, Cidr } from "./cidr.js";
import { prefixAround, widthOf } from "./cidr.js";
import { formatAddress, formatCidr } from "./format.js";
import { readAddress } from "./read-address.js";

/** What an operator wrote as a prefix. Only one reading of the text is accepted; else an error `invalid-cidr`. */
export function parseCidr(text: string): Cidr {
  const read = readStrictCidr(text);
  if ("why" in read) throw invalid(`${JSON.stringify(text)} cannot be used as a CIDR`, read);
  return read;
}

/** What kube-controller-manager takes for `--cluster-cidr`: one prefix, or two of different families, order kept. */
export function parseCidrList(text: string): Cidr[] {
  const cidrs = text.split(",").map(parseCidr);
  if (cidrs.length > 2 || (cidrs.length === 2 && cidrs[0]?.family === cidrs[1]?.family)) {
    throw invalid(`${JSON.stringify(text)} cannot be used as a list of CIDRs`, {
      why: "a cluster has one range, or two of which one is IPv4 and one IPv6",
      next: "give one CIDR, or one of each family with a comma between them",
    });
  }
  return cidrs;
}

/** What an operator wrote as an address, as strictly as `parseCidr`. */
export function parseAddress(text: string): Address {
  const read = readStrictAddress(text);
  if ("why" in read) throw invalid(`${JSON.stringify(text)} cannot be used as an address`, read);
  return read;
}

/**
 * Reads a prefix found in a cluster as Kubernetes does (k8s.io/utils/net, ParseCIDRSloppy). `canonical` says whether
 * `formatCidr` gives the same text; undefined when Kubernetes could not read it either.
 */
export function readStoredCidr(
  text: string,
): { readonly cidr: Cidr; readonly canonical: boolean } | undefined {
  const [, addressText = "", lengthText] = /^([^/]*)\/([0-9]+)$/.exec(text) ?? [];
  const address = readAddress(addressText);
  const length = Number(lengthText);
  if (address === undefined || length > widthOf(address.family)) return undefined;
  const cidr = unmapped(prefixAround(address, length));
  return { cidr, canonical: formatCidr(cidr) === text };
}

interface Fault {
  readonly why: string;
  readonly next: string;
}

function invalid(what: string, fault: Fault): EtcdcidrError {
  return new EtcdcidrError("invalid-cidr", { what, why: fault.why, now: NOTHING_WRITTEN, next: fault.next });
}

const WHITE_SPACE: Fault = { why: "it contains white space", next: "leave out the white space" };

function readStrictCidr(text: string): Cidr | Fault {
  if (/\s/.test(text)) return WHITE_SPACE;
  const [addressText = "", lengthText, ...more] = text.split("/");
  const address = readStrictAddress(addressText);
  if ("why" in address) return address;
  const width = widthOf(address.family);
  if (lengthText === undefined) {
    return {
      why: "it has no prefix length",
      next: `add one after a slash; the address alone is ${addressText}/${width}`,
    };
  }
  const length = Number(lengthText);
  if (more.length > 0 || !/^(0|[1-9][0-9]*)$/.test(lengthText) || length > width) {
    return {
      why: `the prefix length is not a whole number from 0 to ${width} without leading zeros`,
      next: "write the address, one slash, and such a number",
    };
  }
  const cidr = prefixAround(address, length);
  if (cidr.base === address.value) return cidr;
  return {
    why: `bits after the first ${length} are set: the range that ${addressText} lies in is ${formatCidr(cidr)}`,
    next: `write ${formatCidr(cidr)} if that range is meant`,
  };
}

function readStrictAddress(text: string): Address | Fault {
  if (/\s/.test(text)) return WHITE_SPACE;
  if (text.includes("%")) return { why: "it has a zone", next: "leave out the % and what follows it" };
  const address = readAddress(text);
  if (address === undefined || /[0-9a-f]{5}/i.test(text)) {
    return {
      why: "it has neither four decimal numbers from 0 to 255 with dots between them nor the form of an IPv6 address",
      next: "write an address in full, like 10.244.0.0 or fd00:10:244::",
    };
  }
  // Some programs read 010 as eight, some as ten; in an IPv6 group (no dot beside it) there is no such doubt.
  if (/\b0[0-9]+\.|\.0[0-9]/.test(text)) {
    return {
      why: "a number has a leading zero, which some programs read as octal",
      next: "write each number in decimal without leading zeros",
    };
  }
  if (!isMapped(address)) return address;
  const inner = formatAddress(4, address.value & 0xffffffffn);
  return { why: "it is an IPv4 address written as IPv6", next: `write the IPv4 address itself, ${inner}` };
}

function isMapped(address: Address): boolean {
  return address.family === 6 && address.value >> 32n === 0xffffn;
}

/** Go takes a v4-mapped prefix for the IPv4 prefix inside it (net.IPNet, its String and Contains). */
function unmapped(cidr: Cidr): Cidr {
  if (!isMapped({ family: cidr.family, value: cidr.base })) return cidr;
  return { family: 4, base: cidr.base & 0xffffffffn, length: cidr.length - 96 };
}

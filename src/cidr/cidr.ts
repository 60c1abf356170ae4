export type Family = 4 | 6;

/** A prefix. `base` is its first address as an integer, host bits zero; `length` is in bits. */
export interface Cidr {
  readonly family: Family;
  readonly base: bigint;
  readonly length: number;
}

/** One address as an integer. */
export interface Address {
  readonly family: Family;
  readonly value: bigint;
}

/** Bits in an address of the family. */
export function widthOf(family: Family): 32 | 128 {
  return family === 4 ? 32 : 128;
}

/** The prefix of `length` bits that the address lies in; its host bits are masked away. */
export function prefixAround(address: Address, length: number): Cidr {
  const hostBits = BigInt(widthOf(address.family) - length);
  return { family: address.family, base: (address.value >> hostBits) << hostBits, length };
}

/** Whether every address of `inner` is in `outer`; false across families. */
export function contains(outer: Cidr, inner: Cidr): boolean {
  return outer.length <= inner.length && containsAddress(outer, { family: inner.family, value: inner.base });
}

/** Whether the two share an address; false across families. */
export function overlaps(a: Cidr, b: Cidr): boolean {
  return contains(a, b) || contains(b, a);
}

export function equals(a: Cidr, b: Cidr): boolean {
  return a.family === b.family && a.base === b.base && a.length === b.length;
}

/** Whether the address is in the prefix; false across families. */
export function containsAddress(cidr: Cidr, address: Address): boolean {
  const hostBits = BigInt(widthOf(cidr.family) - cidr.length);
  return cidr.family === address.family && cidr.base >> hostBits === address.value >> hostBits;
}

/** The highest address of the prefix; for IPv4 that is its broadcast address. */
export function lastAddress(cidr: Cidr): bigint {
  return cidr.base | ((1n << BigInt(widthOf(cidr.family) - cidr.length)) - 1n);
}

/** The longest prefix that contains all of them; undefined for none, and for a mix of families. */
export function smallestEnclosing(cidrs: readonly Cidr[]): Cidr | undefined {
  const [first, ...others] = cidrs;
  if (first === undefined || others.some((cidr) => cidr.family !== first.family)) return undefined;
  return others.reduce(enclosingBoth, first);
}

function enclosingBoth(a: Cidr, b: Cidr): Cidr {
  const difference = a.base ^ b.base;
  const differingBits = difference === 0n ? 0 : difference.toString(2).length;
  const length = Math.min(a.length, b.length, widthOf(a.family) - differingBits);
  return prefixAround({ family: a.family, value: a.base }, length);
}

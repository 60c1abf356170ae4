import { EtcdcidrError } from "../errors.js";
import type { Cidr } from "./cidr.js";
import { contains, overlaps, widthOf } from "./cidr.js";
import { formatCidr } from "./format.js";

// The arithmetic of kube-controller-manager's node allocator (pkg/controller/nodeipam/ipam/cidrset/cidr_set.go).

/** How many blocks of `blockLength` the range has; 0 when the range is smaller than one. */
export function blockCount(range: Cidr, blockLength: number): bigint {
  if (blockLength < range.length || blockLength > widthOf(range.family)) return 0n;
  return 1n << BigInt(blockLength - range.length);
}

/** Block number `index` of the range, from 0. An index outside is a fault of the caller: error `internal`. */
export function blockAt(range: Cidr, blockLength: number, index: bigint): Cidr {
  if (index < 0n || index >= blockCount(range, blockLength)) {
    throw new EtcdcidrError("internal", {
      what: `there is no block ${index} of length ${blockLength} in ${formatCidr(range)}`,
      why: `the range has ${blockCount(range, blockLength)} such blocks`,
      now: "no plan was made",
      next: "report this",
    });
  }
  const base = range.base | (index << BigInt(widthOf(range.family) - blockLength));
  return { family: range.family, base, length: blockLength };
}

/**
 * The index of the first block that `cidr` touches, which it need not fill: a longer prefix counts as the block around it,
 * a shorter one as its first block. Undefined outside the range, or when the range has no such blocks.
 */
export function blockIndex(range: Cidr, blockLength: number, cidr: Cidr): bigint | undefined {
  if (!overlaps(range, cidr) || blockCount(range, blockLength) === 0n) return undefined;
  if (contains(cidr, range)) return 0n;
  return (range.base ^ cidr.base) >> BigInt(widthOf(range.family) - blockLength);
}

/** All addresses of the prefix. */
export function addressCount(cidr: Cidr): bigint {
  return 1n << BigInt(widthOf(cidr.family) - cidr.length);
}

/**
 * Addresses that a host can have: IPv4 without network and broadcast address; IPv6, which has no broadcast, without
 * the first one (subnet-router anycast, RFC 4291 section 2.6.1), as the host-local plugin hands them out. Never below 0.
 */
export function usableHosts(cidr: Cidr): bigint {
  const unusable = cidr.family === 4 ? 2n : 1n;
  const count = addressCount(cidr) - unusable;
  return count < 0n ? 0n : count;
}

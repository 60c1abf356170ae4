import { type Cidr, lastAddress } from "../../cidr/cidr.js";

/** Counts how many of a fixed set of blocks of one family overlap a given one, in O(log n). */
export interface OverlapCounter {
  count(cidr: Cidr): number;
}

export function createOverlapCounter(cidrs: readonly Cidr[]): OverlapCounter {
  const firsts = cidrs.map((cidr) => cidr.base).sort(compare);
  const lasts = cidrs.map(lastAddress).sort(compare);
  return {
    // All that begin at or before its end, less those that end before its beginning.
    count: (cidr) => countBelow(firsts, lastAddress(cidr) + 1n) - countBelow(lasts, cidr.base),
  };
}

/** How many of the sorted values are below the bound. */
function countBelow(sorted: readonly bigint[], bound: bigint): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? bound) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

function compare(left: bigint, right: bigint): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

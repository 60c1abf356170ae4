import { EtcdcidrError } from "../errors.js";
import { blockCount } from "./blocks.js";
import type { Cidr, Family } from "./cidr.js";
import { widthOf } from "./cidr.js";
import { formatCidr } from "./format.js";

/** The occupied part of one family's address space. A prefix of the other family is a fault: error `internal`. */
export interface Occupancy {
  /** Occupying what is occupied already, wholly or in part, is no error. */
  occupy(cidr: Cidr): void;
  /** Whether nothing occupied overlaps the prefix. */
  isFree(cidr: Cidr): boolean;
  /** The lowest free block of `blockLength` in `within`. */
  firstFree(within: Cidr, blockLength: number): Cidr | undefined;
  /** How many blocks of `blockLength` in `within` are free. */
  freeCount(within: Cidr, blockLength: number): bigint;
}

/**
 * An empty occupancy. It is a binary trie in which every node knows the largest free prefix below it, so `occupy`,
 * `isFree` and `firstFree` take at most one step a bit, however fragmented the space is.
 */
export function createOccupancy(family: Family): Occupancy {
  let root: Trie = "free";
  return {
    occupy(cidr) {
      root = withOccupied(root, bitsOf(cidr, family), 0);
    },
    isFree(cidr) {
      return below(root, bitsOf(cidr, family)) === "free";
    },
    firstFree(within, blockLength) {
      const trie = below(root, bitsOf(within, family));
      return blockCount(within, blockLength) === 0n ? undefined : firstFreeIn(trie, within, blockLength);
    },
    freeCount(within, blockLength) {
      const trie = below(root, bitsOf(within, family));
      return blockCount(within, blockLength) === 0n ? 0n : freeCountIn(trie, within.length, blockLength);
    },
  };
}

/** What lies below one prefix: free, occupied as a whole, or its two halves. */
type Trie = "free" | "occupied" | Halves;

interface Halves {
  readonly lower: Trie;
  readonly upper: Trie;
  /** Length of the largest prefix below that is wholly free; Infinity for none. */
  readonly shortestFree: number;
}

/** The prefix's own bits, the way from the root to its node. */
function bitsOf(cidr: Cidr, family: Family): string {
  if (cidr.family !== family) {
    throw new EtcdcidrError("internal", {
      what: `${formatCidr(cidr)} was looked up among IPv${family} ranges`,
      why: "the families differ",
      now: "no plan was made",
      next: "report this",
    });
  }
  return cidr.base.toString(2).padStart(widthOf(family), "0").slice(0, cidr.length);
}

function withOccupied(trie: Trie, bits: string, depth: number): Trie {
  if (trie === "occupied" || depth === bits.length) return "occupied";
  const { lower, upper } = trie === "free" ? { lower: trie, upper: trie } : trie;
  return bits[depth] === "0"
    ? joined(withOccupied(lower, bits, depth + 1), upper, depth + 1)
    : joined(lower, withOccupied(upper, bits, depth + 1), depth + 1);
}

function joined(lower: Trie, upper: Trie, length: number): Halves {
  return { lower, upper, shortestFree: Math.min(shortestFree(lower, length), shortestFree(upper, length)) };
}

function shortestFree(trie: Trie, length: number): number {
  if (trie === "free") return length;
  return trie === "occupied" ? Number.POSITIVE_INFINITY : trie.shortestFree;
}

function below(root: Trie, bits: string): Trie {
  let trie = root;
  for (const bit of bits) {
    if (typeof trie === "string") return trie;
    trie = bit === "0" ? trie.lower : trie.upper;
  }
  return trie;
}

function firstFreeIn(start: Trie, within: Cidr, blockLength: number): Cidr | undefined {
  if (shortestFree(start, within.length) > blockLength) return undefined;
  let trie = start;
  let { base, length } = within;
  while (typeof trie === "object") {
    length += 1;
    if (shortestFree(trie.lower, length) <= blockLength) {
      trie = trie.lower;
    } else {
      trie = trie.upper;
      base |= 1n << BigInt(widthOf(within.family) - length);
    }
  }
  return { family: within.family, base, length: blockLength };
}

function freeCountIn(trie: Trie, length: number, blockLength: number): bigint {
  if (shortestFree(trie, length) > blockLength) return 0n;
  if (typeof trie === "string") return 1n << BigInt(blockLength - length);
  return freeCountIn(trie.lower, length + 1, blockLength) + freeCountIn(trie.upper, length + 1, blockLength);
}

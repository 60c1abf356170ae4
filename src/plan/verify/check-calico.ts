import { type Cidr, contains, overlaps } from "../../cidr/cidr.js";
import { formatCidr } from "../../cidr/format.js";
import { usesOwnIpam } from "../findings/cni.js";
import { count } from "../findings/finding.js";
import { rangesIn } from "../pod-cidr/old-range.js";
import { type Check, judge } from "./check.js";
import type { VerifyFacts } from "./verify-facts.js";
import { describe, rangeOf, type WantedRanges } from "./wanted-ranges.js";

const DEFAULT_BLOCK_SIZE = { 4: 26, 6: 122 } as const;

/** Calico's pools, where it hands out the addresses, and the blocks that it has cut from them. */
export function checkCalico(
  { readSet, calicoBlocks }: VerifyFacts,
  wanted: WantedRanges | undefined,
): Check[] {
  const { calico } = readSet;
  if (!usesOwnIpam(calico)) return [];
  const pools = calico.pools.flatMap(({ cidr, blockSize }) =>
    rangesIn(cidr).map((range) => ({ range, blockSize: blockSize ?? DEFAULT_BLOCK_SIZE[range.family] })),
  );
  return [
    ...checkPools(
      pools.map(({ range }) => range),
      wanted,
    ),
    ...(calicoBlocks.length === 0
      ? []
      : [
          checkBlocks(
            calicoBlocks.flatMap(({ cidr }) => rangesIn(cidr)),
            pools,
          ),
        ]),
  ];
}

function checkPools(pools: readonly Cidr[], wanted: WantedRanges | undefined): Check[] {
  if (wanted === undefined || pools.length === 0) return [];
  const faults = pools
    .filter((pool) => {
      const range = rangeOf(wanted, pool.family);
      return range === undefined || !contains(range, pool);
    })
    .map((pool) => `${formatCidr(pool)} is outside ${describe(wanted)}`);
  return [judge("calico-pools", "Calico IP pools", pools.map(formatCidr).join(), faults)];
}

/** A block of another size than its pool's overlaps those that are cut from it now. */
function checkBlocks(
  blocks: readonly Cidr[],
  pools: readonly { readonly range: Cidr; readonly blockSize: number }[],
): Check {
  const faults = blocks.flatMap((block) => {
    const pool = pools.find(({ range }) => overlaps(range, block));
    if (pool === undefined) return [`${formatCidr(block)} is in no pool`];
    if (block.length === pool.blockSize) return [];
    return [
      `${formatCidr(block)} overlaps the blocks of /${pool.blockSize} of pool ${formatCidr(pool.range)}`,
    ];
  });
  return judge(
    "calico-blocks",
    "Calico IPAM blocks",
    `${count(blocks.length, "block")} against the pools`,
    faults,
  );
}

import { blockCount, blockIndex, usableHosts } from "../../cidr/blocks.js";
import { type Cidr, contains, containsAddress, overlaps, widthOf } from "../../cidr/cidr.js";
import { formatAddress, formatCidr } from "../../cidr/format.js";
import { readStoredCidr } from "../../cidr/parse.js";
import { isPrivate } from "../../cidr/special-ranges.js";
import type { Finding } from "../plan.js";
import type { FindingContext } from "../pod-cidr/context.js";
import type { FamilyPlan } from "../pod-cidr/family-plan.js";
import type { FamilyPlacement } from "../pod-cidr/place-nodes.js";
import { acceptableBlocker, blocker, count, someOf, warning } from "./finding.js";

// Above 16 bits kube-controller-manager refuses IPv6 (cidr_set.go), and kubeadm either family.
const MOST_INDEX_BITS = 16;

/** What can be said of a new range before any Node is looked at, and how full it gets. */
export function findRangeFaults(context: FindingContext): Finding[] {
  return context.families.flatMap((family) => [
    ...findOverlaps(family.plan.target, context),
    ...findPublic(family.plan.target),
    ...findDifference(family),
    ...findCapacity(family, context),
  ]);
}

function findOverlaps(target: Cidr, { readSet, nodes, reserved }: FindingContext): Finding[] {
  const range = formatCidr(target);
  // The same range stands in several places; one of them is enough to find it.
  const services = readSet.serviceRanges
    .filter(({ cidr }, index, all) => all.findIndex((other) => other.cidr === cidr) === index)
    .filter(({ cidr }) => overlapsText(target, cidr))
    .map(({ cidr, source }) => `service range ${cidr} (${source})`);
  const hosts = nodes.flatMap(({ blocks: { node } }) =>
    node.addresses
      .filter((address) => containsAddress(target, address))
      .map(({ family, value }) => `address ${formatAddress(family, value)} of Node ${node.name}`),
  );
  const kept = reserved
    .filter((cidr) => overlaps(target, cidr))
    .map((cidr) => `reserved ${formatCidr(cidr)}`);
  const others = [...services, ...hosts, ...kept];
  if (others.length === 0) return [];
  return [
    blocker("overlap", {
      keys: [],
      what: `the new range ${range} overlaps ${someOf(others)}`,
      why: "addresses there would belong to Pods and to something else at once; kube-controller-manager gives Nodes any block of its range",
      next: "choose a range that overlaps none of them",
    }),
  ];
}

function overlapsText(target: Cidr, text: string): boolean {
  const stored = readStoredCidr(text);
  return stored !== undefined && overlaps(target, stored.cidr);
}

function findPublic(target: Cidr): Finding[] {
  if (isPrivate(target)) return [];
  return [
    acceptableBlocker("not-private", {
      keys: [],
      what: `the new range ${formatCidr(target)} is not private`,
      why: "it is not inside RFC 1918, RFC 6598 (100.64.0.0/10) or fc00::/7: whoever owns it on the internet becomes unreachable",
      next: "choose a private range, unless this one is yours",
    }),
  ];
}

function findDifference({ plan }: FamilyPlacement): Finding[] {
  const bits = plan.blockLength - plan.target.length;
  if (bits <= MOST_INDEX_BITS) return [];
  const what = `blocks of /${plan.blockLength} in ${formatCidr(plan.target)} leave ${bits} bits for the index`;
  const next = `use a mask of /${plan.target.length + MOST_INDEX_BITS} or shorter, or a smaller range`;
  if (plan.family === 6) {
    const why = "kube-controller-manager exits at start when the difference is above 16 for IPv6";
    return [blocker("ipv6-difference", { keys: [], what, why, next })];
  }
  const why = "kubeadm refuses a difference above 16; kube-controller-manager itself does not";
  return [acceptableBlocker("ipv4-difference", { keys: [], what, why, next })];
}

function findCapacity(placement: FamilyPlacement, context: FindingContext): Finding[] {
  const { target, blockLength } = placement.plan;
  const blocks = blockCount(target, blockLength);
  const range = formatCidr(target);
  if (placement.unplaced.length > 0) {
    const needed = placement.placements.size + placement.unplaced.length;
    return [
      blocker("capacity", {
        keys: [],
        what: `${count(needed, "Node")} ${needed === 1 ? "needs" : "need"} a block, and ${range} has ${count(blocks, "block")} of /${blockLength}`,
        why: `there is none left for ${someOf(placement.unplaced)}`,
        next: fittingMasks(
          target,
          blockLength,
          usedBy(placement, context) + BigInt(placement.unplaced.length),
        ),
      }),
    ];
  }
  const used = usedBy(placement, context);
  if (used * 100n <= blocks * 80n) return [];
  return [
    warning("nearly-full", {
      keys: [],
      what: `${range} will be nearly full: ${used} of ${blocks} blocks used`,
      why: "a Node that joins when no block is left stays without Pods (CIDRNotAvailable)",
      next: "use a wider range or a longer mask if the cluster is to grow",
    }),
  ];
}

/** How many blocks of the target are held, wholly or in part, once the change is done. */
export function usedBy({ plan }: FamilyPlacement, { nodes }: FindingContext): bigint {
  const spans = nodes
    .flatMap(({ afterCidrs }) => afterCidrs.flatMap((cidr) => spanOf(plan, cidr)))
    .sort((left, right) => (left.first < right.first ? -1 : Number(left.first > right.first)));
  let used = 0n;
  let next = 0n;
  for (const { first, last } of spans) {
    const begin = first > next ? first : next;
    if (last < begin) continue;
    used += last - begin + 1n;
    next = last + 1n;
  }
  return used;
}

/** Indexes of the first and the last block of the target that a prefix touches. */
function spanOf({ target, blockLength }: FamilyPlan, cidr: Cidr): { first: bigint; last: bigint }[] {
  const first = blockIndex(target, blockLength, cidr);
  if (first === undefined) return [];
  return [
    { first, last: first + (blockCount(contains(cidr, target) ? target : cidr, blockLength) || 1n) - 1n },
  ];
}

function fittingMasks(target: Cidr, blockLength: number, needed: bigint): string {
  const indexBits = needed === 1n ? 0 : (needed - 1n).toString(2).length;
  const mask = target.length + indexBits;
  const prefix = blockLength - indexBits;
  const wider = prefix > 0 ? `, or a range of /${prefix} or wider with /${blockLength} blocks` : "";
  if (mask > widthOf(target.family)) return `use a wider range${wider}`;
  const block = { ...target, length: mask };
  return (
    `use a mask of /${mask} or longer (${count(blockCount(target, mask), "block")} of ` +
    `${usableHosts(block)} addresses at /${mask})${wider}`
  );
}

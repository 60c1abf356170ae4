import { type Cidr, lastAddress } from "../../cidr/cidr.js";
import type { Finding } from "../plan.js";
import type { FindingContext, PlannedNode } from "../pod-cidr/context.js";
import { heldOf } from "../pod-cidr/node-blocks.js";
import type { FamilyPlacement, LeftAlone } from "../pod-cidr/place-nodes.js";
import { acceptableBlocker, blocker, count, someOf, warning } from "./finding.js";

/** What is odd about the Nodes' blocks, today or once the change is done. */
export function findBlockFaults(context: FindingContext): Finding[] {
  return [
    ...context.families.flatMap((family) => findDuplicates(family, context)),
    ...findFamilyOrder(context),
    ...context.families.flatMap(findOverlapsCurrent),
    ...context.families.flatMap((family) => findMixedMasks(family, context)),
    ...context.families.flatMap((family) => findLeftAlone(family, context)),
    ...findPairDiffers(context),
    ...findSurplus(context),
  ];
}

function keysOf(nodes: readonly PlannedNode[]): string[] {
  return nodes.map(({ blocks }) => blocks.node.key);
}

function namesOf(nodes: readonly PlannedNode[]): string[] {
  return nodes.map(({ blocks }) => blocks.node.name);
}

function findDuplicates({ plan }: FamilyPlacement, { nodes }: FindingContext): Finding[] {
  return overlappingGroups(nodes, (node) => heldOf(node.blocks, plan.family)?.cidr).map((group) => {
    const shared = heldOf((group[0] as PlannedNode).blocks, plan.family)?.text ?? "";
    const staying = group.filter((node) => !movesIn(node, plan.family));
    const text = {
      keys: keysOf(group),
      what: `${someOf(namesOf(group))} hold the same addresses (${shared})`,
    };
    const why =
      "kube-controller-manager does not notice; when one of them is deleted, the next Node gets the block that the other still uses";
    if (staying.length === 0) {
      return warning("duplicate-removed", { ...text, why, next: "nothing: each gets a block of its own" });
    }
    return blocker("duplicate-block", {
      ...text,
      why: `${why}; ${someOf(namesOf(staying))} would keep it`,
      next: `take ${someOf(namesOf(staying), 10)} along (leave out --node, or name all of them)`,
    });
  });
}

function movesIn({ blocks, after }: PlannedNode, family: 4 | 6): boolean {
  const held = heldOf(blocks, family)?.text;
  return held !== undefined && !after.includes(held);
}

/** Groups of Nodes whose blocks overlap, by one sweep over the blocks in address order. */
function overlappingGroups(
  nodes: readonly PlannedNode[],
  blockOf: (node: PlannedNode) => Cidr | undefined,
): PlannedNode[][] {
  const entries = nodes.flatMap((node) => {
    const block = blockOf(node);
    return block === undefined ? [] : [{ node, first: block.base, last: lastAddress(block) }];
  });
  entries.sort((left, right) => (left.first < right.first ? -1 : Number(left.first > right.first)));
  const groups: PlannedNode[][] = [];
  let end = -1n;
  for (const { node, first, last } of entries) {
    const group = groups.at(-1);
    if (group !== undefined && first <= end) group.push(node);
    else groups.push([node]);
    if (last > end) end = last;
  }
  return groups.filter((group) => group.length > 1);
}

function findFamilyOrder({ nodes, families }: FindingContext): Finding[] {
  const wanted = families.map(({ plan }) => plan.family);
  if (wanted.length < 2) return [];
  const wrong = nodes.filter(
    ({ afterCidrs }) =>
      afterCidrs.length > 1 && afterCidrs.some(({ family }, index) => family !== wanted[index]),
  );
  if (wrong.length === 0) return [];
  const order = wanted.map((family) => `IPv${family}`).join(", then ");
  return [
    blocker("family-order", {
      keys: keysOf(wrong),
      what: `the ranges are given as ${order}, and ${someOf(namesOf(wrong))} hold their blocks the other way round`,
      why: "kube-controller-manager matches podCIDRs with --cluster-cidr by position and exits at start when they disagree",
      next: "give the ranges in the order of the Nodes' podCIDRs",
    }),
  ];
}

function findOverlapsCurrent({ plan, overlapsCurrent }: FamilyPlacement): Finding[] {
  if (!overlapsCurrent) return [];
  return [
    acceptableBlocker("overlaps-current-block", {
      keys: [],
      what: `there are too few IPv${plan.family} blocks that no other Node uses today`,
      why: "some Nodes get addresses that Pods of other Nodes keep until they are renewed",
      next: "use another range, or accept it and renew all Pods at once",
    }),
  ];
}

function findMixedMasks({ plan }: FamilyPlacement, { nodes }: FindingContext): Finding[] {
  const lengths = (cidrs: readonly (Cidr | undefined)[]) =>
    [...new Set(cidrs.flatMap((cidr) => (cidr?.family === plan.family ? [cidr.length] : [])))].sort(
      (a, b) => a - b,
    );
  const before = lengths(nodes.map(({ blocks }) => heldOf(blocks, plan.family)?.cidr));
  const after = lengths(nodes.flatMap((node) => node.afterCidrs));
  if (before.length < 2 && after.length < 2) return [];
  const masks = (list: readonly number[]) => list.map((length) => `/${length}`).join(" and ");
  return [
    warning("mixed-masks", {
      keys: [],
      what: `the Nodes' IPv${plan.family} blocks are of ${masks(before)} now and of ${masks(after)} afterwards`,
      why: "kube-controller-manager knows one mask; it skips every block that a longer or shorter one touches",
      next:
        after.length < 2 ? "nothing: they are all of one size afterwards" : "change all Nodes to one mask",
    }),
  ];
}

const REASONS: Readonly<Record<LeftAlone, { why: string; next: string }>> = {
  "no block": { why: "they have no block", next: "--assign-missing gives them one" },
  outside: {
    why: "their blocks lie neither in the old range nor in the new one, so they have no index",
    next: "--node <name> takes one along; kube-controller-manager does not start while one is outside its range",
  },
  "family missing": { why: "they have no block of this family", next: "--add-family adds one behind" },
};

function findLeftAlone({ plan, leftAlone }: FamilyPlacement, { nodes }: FindingContext): Finding[] {
  return Object.entries(REASONS).flatMap(([reason, text]) => {
    const left = nodes.filter(({ blocks }) => leftAlone.get(blocks.node.name) === reason);
    if (left.length === 0) return [];
    const what = `${count(left.length, "Node")} left alone for IPv${plan.family}: ${someOf(namesOf(left))}`;
    return [warning("left-alone", { keys: keysOf(left), what, ...text })];
  });
}

function findPairDiffers({ nodes }: FindingContext): Finding[] {
  const differing = nodes.filter(({ blocks, change }) => blocks.pairDiffers && change !== undefined);
  if (differing.length === 0) return [];
  return [
    warning("pair-differs", {
      keys: keysOf(differing),
      what: `podCIDR and podCIDRs[0] differ on ${someOf(namesOf(differing))}`,
      why: "the API server shows podCIDR, and drops the list at the Node's next write",
      next: "nothing: both are written together",
    }),
  ];
}

function findSurplus({ nodes }: FindingContext): Finding[] {
  const surplus = nodes.filter(({ blocks, change }) => blocks.surplus.length > 0 && change !== undefined);
  if (surplus.length === 0) return [];
  return [
    warning("duplicate-removed", {
      keys: keysOf(surplus),
      what: `a second block of one family is removed from ${someOf(namesOf(surplus))}`,
      why: "the API server refuses every label, taint and cordon of a Node with two blocks of one family",
      next: "nothing: the first of each family counts",
    }),
  ];
}

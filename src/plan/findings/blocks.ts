import { type Cidr, equals, type Family, lastAddress } from "../../cidr/cidr.js";
import { formatCidr } from "../../cidr/format.js";
import type { Finding } from "../plan.js";
import type { FindingContext, PlannedNode } from "../pod-cidr/context.js";
import { cidrsOf, heldOf } from "../pod-cidr/node-blocks.js";
import type { FamilyPlacement, LeftAlone } from "../pod-cidr/place-nodes.js";
import { acceptableBlocker, blocker, count, someOf, warning } from "./finding.js";

/** What is odd about the Nodes' blocks, today or once the change is done. */
export function findBlockFaults(context: FindingContext): Finding[] {
  return [
    ...context.families.flatMap((family) => findDuplicates(family, context)),
    ...findFamilyOrder(context),
    ...context.families.flatMap((family) => findOnOthers(family, context)),
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

function findDuplicates(family: FamilyPlacement, { nodes }: FindingContext): Finding[] {
  const ofFamily = family.plan.family;
  return overlappingGroups(nodes, ({ blocks }) => cidrsOf(blocks, ofFamily)).map((group) => {
    const staying = group.filter((node) => !moves(node, family));
    const shared = new Set(group.map(({ blocks }) => heldOf(blocks, ofFamily)?.text ?? ""));
    const text = {
      keys: keysOf(group),
      what: `${someOf(namesOf(group))} hold the same addresses (${someOf([...shared])})`,
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

/** A Node that is placed anew leaves what it shares, or gets it as the only one. */
function moves({ blocks, afterCidrs }: PlannedNode, { plan, placements }: FamilyPlacement): boolean {
  const held = heldOf(blocks, plan.family)?.cidr;
  return (
    placements.has(blocks.node.name) ||
    (held !== undefined && afterCidrs.every((cidr) => !equals(cidr, held)))
  );
}

/** Groups of Nodes whose blocks overlap, by one sweep over the blocks in address order. */
export function overlappingGroups<Holder>(
  nodes: readonly Holder[],
  blocksOf: (node: Holder) => readonly Cidr[],
): Holder[][] {
  const entries = nodes.flatMap((node) =>
    blocksOf(node).map((cidr) => ({ node, first: cidr.base, last: lastAddress(cidr) })),
  );
  entries.sort((left, right) => (left.first < right.first ? -1 : Number(left.first > right.first)));
  const groups: Holder[][] = [];
  let group: Holder[] = [];
  let end = -1n;
  for (const { node, first, last } of entries) {
    if (first > end) {
      group = [];
      groups.push(group);
    }
    if (!group.includes(node)) group.push(node);
    if (last > end) end = last;
  }
  return groups.filter(({ length }) => length > 1);
}

function findFamilyOrder(context: FindingContext): Finding[] {
  const order = context.families.map(({ plan }) => plan.family);
  return order.length < 2 ? findNewInWrongOrder(context) : findOtherOrder(order, context);
}

const POSITION =
  "kube-controller-manager matches podCIDRs with --cluster-cidr by position and exits at start when they disagree";

function findOtherOrder(order: readonly Family[], { nodes }: FindingContext): Finding[] {
  const wrong = nodes.filter(({ afterCidrs }) =>
    afterCidrs.some(({ family }, index) => family !== order[index]),
  );
  if (wrong.length === 0) return [];
  const families = order.map((family) => `IPv${family}`).join(", then ");
  return [
    blocker("family-order", {
      keys: keysOf(wrong),
      what: `the ranges are given as ${families}, and ${someOf(namesOf(wrong))} would not have their blocks in that order`,
      why: POSITION,
      next: "give the ranges in the order of the Nodes' podCIDRs; a new family comes last",
    }),
  ];
}

/** A Node without blocks would get the second family of the others as its first. */
function findNewInWrongOrder({ nodes, families }: FindingContext): Finding[] {
  const first = nodes.find(({ blocks }) => blocks.held.length > 1)?.blocks.held[0]?.cidr.family;
  const given = families[0]?.plan.family;
  if (first === undefined || first === given) return [];
  const wrong = nodes.filter(({ blocks, change }) => blocks.held.length === 0 && change !== undefined);
  if (wrong.length === 0) return [];
  return [
    blocker("family-order", {
      keys: keysOf(wrong),
      what: `${someOf(namesOf(wrong))} would have IPv${given} first, and the other Nodes have IPv${first} first`,
      why: POSITION,
      next: "give both ranges, or leave out --assign-missing",
    }),
  ];
}

function findOnOthers({ plan, placements, onOthers }: FamilyPlacement, { nodes }: FindingContext): Finding[] {
  if (onOthers.length === 0) return [];
  const names = new Set(onOthers);
  const blocks = onOthers.map((name) => {
    const placement = placements.get(name);
    return placement === undefined ? name : `${name} (${formatCidr(placement.block)})`;
  });
  return [
    acceptableBlocker("overlaps-current-block", {
      keys: keysOf(nodes.filter((node) => names.has(node.blocks.node.name))),
      what: `there are too few IPv${plan.family} blocks that no other Node has today, so ${someOf(blocks)} would get another's`,
      why: "Pods of the other Nodes keep these addresses until they are renewed, and new Pods get them too",
      next: "use another range or a longer mask, else renew all Pods at once afterwards",
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

import { contains, type Family, lastAddress } from "../cidr/cidr.js";
import { parseCidr } from "../cidr/parse.js";
import type { NodeFacts } from "../objects/node.js";
import { moveCommand } from "./move-command.js";
import type { FamilyOutline, Plan } from "./plan.js";
import { NO_RANGE } from "./pod-cidr/families-back.js";
import {
  type HeldBlock,
  heldOf,
  type NodeBlocks,
  readNodeBlocks,
  storedBlocks,
} from "./pod-cidr/node-blocks.js";
import { sameFieldValue } from "./same-field-value.js";

/** Something about the store that is not as the plan meant it. */
export interface Fault {
  readonly node: string;
  readonly what: string;
  /** The command that puts it right, where there is one. */
  readonly next?: string;
}

/** Compares the Nodes read after a change with its plan; no fault means that the change is what it should be. */
export function checkOutcome(
  plan: Plan,
  nodes: readonly NodeFacts[],
  dropped: ReadonlySet<string>,
): readonly Fault[] {
  const blocks = nodes.map(readNodeBlocks);
  return [
    ...findUnwritten(plan, blocks, dropped),
    ...findJoined(plan, blocks),
    ...plan.outline.families.flatMap(({ family }) => findShared(plan, blocks, family)),
  ];
}

function findUnwritten(plan: Plan, nodes: readonly NodeBlocks[], dropped: ReadonlySet<string>): Fault[] {
  const byUid = new Map(nodes.map((blocks) => [blocks.node.uid, blocks]));
  const isAsMeant = isRollback(plan) ? showsBlocks : holdsPair;
  return plan.outline.nodes.flatMap(({ name, key, uid, after }) => {
    const blocks = byUid.get(uid);
    // A Node that is gone was reported when it was dropped, or left after it was written.
    if (blocks === undefined || dropped.has(key) || isAsMeant(blocks, after)) return [];
    return [{ node: name, what: `has ${describe(blocks.node)} instead of ${after.join(",")}` }];
  });
}

function isRollback({ intent }: Plan): boolean {
  return intent.operation === "rollback";
}

function holdsPair({ node }: NodeBlocks, after: readonly string[]): boolean {
  return sameFieldValue(node.podCidr, after[0]) && sameFieldValue(node.podCidrs, after);
}

/** A rollback gives odd values back as well: what counts is what the API makes of them. */
function showsBlocks(blocks: NodeBlocks, after: readonly string[]): boolean {
  return sameFieldValue(
    storedBlocks(blocks).map(({ text }) => text),
    after,
  );
}

function describe({ podCidr, podCidrs }: NodeFacts): string {
  return `podCIDR ${podCidr ?? ""} and podCIDRs ${podCidrs.join(",")}`;
}

/** A Node that joined meanwhile with a block of the old range stops the restarted kube-controller-manager at once. */
function findJoined(plan: Plan, nodes: readonly NodeBlocks[]): Fault[] {
  return nodes
    .filter(({ node }) => plan.nodeUids.get(node.name) !== node.uid)
    .flatMap((blocks) => {
      const outside = plan.outline.families.flatMap((family) => blockOutside(blocks, family));
      if (outside.length === 0) return [];
      const what = `joined meanwhile and has ${outside.map(({ text }) => text).join(" and ")}`;
      const isMovable = outside.some(({ target }) => target !== NO_RANGE);
      return [
        {
          node: blocks.node.name,
          what,
          ...(isMovable ? { next: moveCommand(plan.outline.families, blocks.node.name) } : {}),
        },
      ];
    });
}

function blockOutside(
  blocks: NodeBlocks,
  { family, target }: FamilyOutline,
): { text: string; target: string }[] {
  const held = heldOf(blocks, family);
  if (held === undefined) return [];
  if (target === NO_RANGE) return [{ text: `${held.text} although there is no IPv${family} range`, target }];
  return contains(parseCidr(target), held.cidr) ? [] : [{ text: `${held.text}, outside ${target}`, target }];
}

/**
 * Nodes that share addresses, if one of them has joined, or was changed: but a rollback may give shared blocks back, and has
 * said so. Found by one sweep in address order.
 */
function findShared(plan: Plan, nodes: readonly NodeBlocks[], family: Family): Fault[] {
  const concerned = new Set(plan.outline.nodes.map(({ uid }) => uid));
  const isConcerned = ({ node: { uid, name } }: Entry) =>
    plan.nodeUids.get(name) !== uid || (concerned.has(uid) && !isRollback(plan));
  const entries = nodes
    .flatMap(({ node, ...rest }): Entry[] => {
      const held = heldOf({ node, ...rest }, family);
      return held === undefined ? [] : [{ node, held }];
    })
    .sort((left, right) =>
      left.held.cidr.base < right.held.cidr.base ? -1 : Number(left.held.cidr.base > right.held.cidr.base),
    );
  const faults: Fault[] = [];
  let reaching: Entry | undefined;
  for (const entry of entries) {
    const overlaps = reaching !== undefined && endOf(reaching) >= entry.held.cidr.base;
    if (overlaps && reaching !== undefined && [entry, reaching].some(isConcerned)) {
      faults.push({ node: entry.node.name, what: shares(entry, reaching) });
    }
    if (reaching === undefined || endOf(entry) > endOf(reaching)) reaching = entry;
  }
  return faults;
}

interface Entry {
  readonly node: NodeFacts;
  readonly held: HeldBlock;
}

function endOf({ held }: Entry): bigint {
  return lastAddress(held.cidr);
}

function shares({ held }: Entry, other: Entry): string {
  return `has ${held.text}, which overlaps ${other.held.text} of ${other.node.name}`;
}

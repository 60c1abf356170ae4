import type { Cidr, Family } from "../cidr/cidr.js";
import { parseCidr, readStoredCidr } from "../cidr/parse.js";
import { findAll } from "./findings/pod-cidr-findings.js";
import { findRollbackFaults, softenPinned } from "./findings/rollback.js";
import type { RollbackIntent } from "./intent.js";
import type { JournaledChange } from "./journaled-change.js";
import type { FamilyOutline, Plan } from "./plan.js";
import { assemblePlan, plannedNode } from "./pod-cidr/assemble.js";
import type { FindingContext, PlannedNode } from "./pod-cidr/context.js";
import { blocksAfter, editNode } from "./pod-cidr/edit-node.js";
import type { FamilyPlan } from "./pod-cidr/family-plan.js";
import { type NodeBlocks, readNodeBlocks, storedBlocks } from "./pod-cidr/node-blocks.js";
import { type FamilyPlacement, placeNodes } from "./pod-cidr/place-nodes.js";
import { type NodeReturn, restoreNode } from "./pod-cidr/restore-node.js";
import type { ReadSet } from "./read-set.js";

/**
 * Plans the way back of a change over today's Nodes: old values where the change's own are still there, and a block of
 * the old range for every Node that has joined since.
 */
export function planRollback(intent: RollbackIntent, readSet: ReadSet, change: JournaledChange): Plan {
  const nodes = readSet.nodes.map(readNodeBlocks);
  const returns = new Map(nodes.map((blocks) => [blocks.node.name, returnOf(blocks, change)]));
  const families = placeAdded(intent, nodes, returns, change);
  const context: FindingContext = {
    readSet,
    nowMs: intent.nowMs,
    nodes: nodes.map((blocks) => planNode(blocks, returns.get(blocks.node.name), families, intent)),
    families,
    reserved: [],
  };
  const added = new Set(
    nodes.filter(({ node }) => returns.get(node.name)?.kind === "added since").map(({ node }) => node.key),
  );
  const findings = [
    ...findRollbackFaults({ context, returns, change, leaveNewNodes: intent.leaveNewNodes }),
    ...softenPinned(findAll(context), added),
  ];
  return assemblePlan(intent, readSet, context, findings, ({ blocks }) =>
    returns.get(blocks.node.name)?.kind === "restored" ? ["as before"] : choicesOf(blocks, families),
  );
}

function returnOf(blocks: NodeBlocks, { begin, keys }: JournaledChange): NodeReturn {
  const { name, key, uid } = blocks.node;
  if (begin.plan.nodeUids.get(name) !== uid) return { kind: "added since" };
  const journaled = keys.get(key);
  if (journaled?.sent === undefined) return { kind: "bystander" };
  return restoreNode(blocks, journaled.edits);
}

/** Places the Nodes that joined since in the old ranges, around what is given back and what stays. */
function placeAdded(
  intent: RollbackIntent,
  nodes: readonly NodeBlocks[],
  returns: ReadonlyMap<string, NodeReturn>,
  change: JournaledChange,
): readonly FamilyPlacement[] {
  const restored = [...returns.values()].flatMap((entry) =>
    entry.kind === "restored" ? [entry.planned] : [],
  );
  return change.begin.plan.families.flatMap((outline) => {
    const plan = familyBack(outline, restored);
    if (plan === undefined) return [];
    const pinned = new Map(
      restored.flatMap(({ blocks, afterCidrs }) =>
        afterCidrs
          .filter(({ family }) => family === plan.family)
          .map((cidr): [string, Cidr] => [blocks.node.name, cidr]),
      ),
    );
    return placeNodes(plan, {
      nodes,
      reserved: [],
      strategy: "index",
      inScope: (name) => !intent.leaveNewNodes && returns.get(name)?.kind === "added since",
      takeOutside: () => false,
      assignMissing: false,
      addFamily: false,
      pinned,
    });
  });
}

/** The family the other way round; undefined when the change had added it, so that there is nothing to return to. */
function familyBack(outline: FamilyOutline, restored: readonly PlannedNode[]): FamilyPlan | undefined {
  if (outline.oldRange === undefined) return undefined;
  return {
    family: outline.family,
    target: parseCidr(outline.oldRange),
    blockLength: commonLength(outline.family, restored) ?? outline.nodeMask,
    blockLengthSource: "as most Nodes had before the change",
    oldRange: { cidr: parseCidr(outline.target), source: "the change that is rolled back" },
  };
}

function commonLength(family: Family, restored: readonly PlannedNode[]): number | undefined {
  const counts = new Map<number, number>();
  for (const cidr of restored.flatMap(({ afterCidrs }) => afterCidrs)) {
    if (cidr.family === family) counts.set(cidr.length, (counts.get(cidr.length) ?? 0) + 1);
  }
  return [...counts].sort(([, left], [, right]) => right - left)[0]?.[0];
}

function planNode(
  blocks: NodeBlocks,
  fate: NodeReturn | undefined,
  families: readonly FamilyPlacement[],
  intent: RollbackIntent,
): PlannedNode {
  if (fate?.kind === "restored") return fate.planned;
  const placed = families.some(({ placements }) => placements.has(blocks.node.name));
  if (fate?.kind !== "added since" || intent.leaveNewNodes || !placed) {
    return plannedNode(blocks, storedBlocks(blocks), undefined);
  }
  const after = blocksAfter(blocks, families).filter((text) => isOfFamily(text, families));
  return plannedNode(blocks, after, editNode(blocks.node, after));
}

/** A family that the change had added goes again: kube-controller-manager exits on a Node with more blocks than ranges. */
function isOfFamily(text: string, families: readonly FamilyPlacement[]): boolean {
  const family = readStoredCidr(text)?.cidr.family;
  return families.some(({ plan }) => plan.family === family);
}

function choicesOf(blocks: NodeBlocks, families: readonly FamilyPlacement[]): readonly string[] {
  return families.flatMap(({ placements }) => {
    const placement = placements.get(blocks.node.name);
    return placement === undefined ? [] : [`joined since, ${placement.choice}`];
  });
}

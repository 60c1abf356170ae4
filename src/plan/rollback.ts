import type { Cidr, Family } from "../cidr/cidr.js";
import { blockersFirst, findAll } from "./findings/pod-cidr-findings.js";
import { findRollbackFaults, softenFindings } from "./findings/rollback.js";
import type { RollbackIntent } from "./intent.js";
import type { JournaledChange } from "./journaled-change.js";
import type { Plan } from "./plan.js";
import { assemblePlan, plannedNode } from "./pod-cidr/assemble.js";
import type { FindingContext, PlannedNode } from "./pod-cidr/context.js";
import { blocksAfter, editNode } from "./pod-cidr/edit-node.js";
import { familiesBack } from "./pod-cidr/families-back.js";
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
  const { plans, removed } = familiesBack(change, nodes, returns);
  const families = plans.map((plan) => placeAdded(plan, intent, nodes, returns));
  const gone = new Set(removed.map(({ family }) => family));
  const context: FindingContext = {
    readSet,
    nowMs: intent.nowMs,
    nodes: nodes.map((blocks) => planNode(blocks, returns.get(blocks.node.name), { intent, families, gone })),
    families,
    reserved: [],
    restored: new Set(
      nodes.filter(({ node }) => returns.get(node.name)?.kind === "restored").map(({ node }) => node.key),
    ),
  };
  const findings = blockersFirst([
    ...findRollbackFaults({ context, returns, change, gone, leaveNewNodes: intent.leaveNewNodes }),
    ...softenFindings(findAll(context)),
  ]);
  return assemblePlan(
    intent,
    readSet,
    context,
    findings,
    ({ blocks }) =>
      returns.get(blocks.node.name)?.kind === "restored" ? ["as before"] : choicesOf(blocks, families),
    removed,
  );
}

function returnOf(blocks: NodeBlocks, { begin, keys }: JournaledChange): NodeReturn {
  const { name, key, uid } = blocks.node;
  // kube-controller-manager gives a Node without blocks some of its range when it is started.
  if (blocks.held.length === 0 && !keys.has(key)) return { kind: "bystander" };
  if (begin.plan.nodeUids.get(name) !== uid) return { kind: "added since" };
  const journaled = keys.get(key);
  if (journaled?.sent === undefined) return { kind: "bystander" };
  return restoreNode(blocks, journaled);
}

/** Places the Nodes that joined since in the old range, around what is given back and what stays. */
function placeAdded(
  plan: FamilyPlan,
  intent: RollbackIntent,
  nodes: readonly NodeBlocks[],
  returns: ReadonlyMap<string, NodeReturn>,
): FamilyPlacement {
  const pinned = new Map(
    [...returns].flatMap(([name, entry]): [string, readonly Cidr[]][] =>
      entry.kind === "restored"
        ? [[name, entry.planned.afterCidrs.filter(({ family }) => family === plan.family)]]
        : [],
    ),
  );
  return placeNodes(plan, {
    nodes,
    reserved: [],
    strategy: "index",
    inScope: (name) => !intent.leaveNewNodes && returns.get(name)?.kind === "added since",
    takeOutside: () => true,
    assignMissing: false,
    addFamily: false,
    pinned,
  });
}

interface Fate {
  readonly intent: RollbackIntent;
  readonly families: readonly FamilyPlacement[];
  /** Families that the change had added: kube-controller-manager exits on a Node with more blocks than ranges. */
  readonly gone: ReadonlySet<Family>;
}

function planNode(
  blocks: NodeBlocks,
  fate: NodeReturn | undefined,
  { intent, families, gone }: Fate,
): PlannedNode {
  if (fate?.kind === "restored") return fate.planned;
  const after = blocksAfter(blocks, families).filter(({ cidr }) => !gone.has(cidr.family));
  const isConcerned =
    families.some(({ placements }) => placements.has(blocks.node.name)) ||
    blocks.held.some(({ cidr }) => gone.has(cidr.family));
  if (fate?.kind !== "added since" || intent.leaveNewNodes || !isConcerned) {
    return plannedNode(blocks, storedBlocks(blocks), undefined);
  }
  return plannedNode(blocks, after, editNode(blocks.node, after));
}

function choicesOf(blocks: NodeBlocks, families: readonly FamilyPlacement[]): readonly string[] {
  const chosen = families.flatMap(({ placements }) => placements.get(blocks.node.name) ?? []);
  return chosen.length === 0
    ? ["joined since, without the added family"]
    : chosen.map(({ choice }) => `joined since, ${choice}`);
}

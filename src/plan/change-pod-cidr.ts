import type { Family } from "../cidr/cidr.js";
import { parseCidr } from "../cidr/parse.js";
import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import { findAll } from "./findings/pod-cidr-findings.js";
import type { ChangePodCidrIntent } from "./intent.js";
import type { Plan } from "./plan.js";
import { assemblePlan, plannedNode } from "./pod-cidr/assemble.js";
import { checkMaskFlags } from "./pod-cidr/check-mask-flags.js";
import type { FindingContext, PlannedNode } from "./pod-cidr/context.js";
import { blocksAfter, editNode } from "./pod-cidr/edit-node.js";
import { planFamily } from "./pod-cidr/family-plan.js";
import type { Placement } from "./pod-cidr/map-blocks.js";
import { type NodeBlocks, readNodeBlocks, storedBlocks } from "./pod-cidr/node-blocks.js";
import { type FamilyPlacement, type PlacementRequest, placeNodes } from "./pod-cidr/place-nodes.js";
import type { ReadSet } from "./read-set.js";

/**
 * Plans new blocks for the Nodes. Throws `usage` for masks that do not go together or cannot be told, `not-found` for a
 * Node that is not there, `too-large` for a single transaction that does not fit.
 */
export function planChangePodCidr(intent: ChangePodCidrIntent, readSet: ReadSet): Plan {
  const targets = intent.clusterCidrs.map(parseCidr);
  checkMaskFlags(intent, targets);
  const nodes = readSet.nodes.map(readNodeBlocks);
  checkNodeNames(intent.nodes, nodes);
  const request = placementRequest(intent, nodes);
  const families = targets.map((target) => placeNodes(planFamily(target, intent, readSet, nodes), request));
  const inScope = new Set(
    nodes.filter(({ node }) => request.inScope(node.name)).map(({ node }) => node.name),
  );
  const context: FindingContext = {
    readSet,
    nowMs: intent.nowMs,
    nodes: nodes.map((blocks) => planNode(blocks, families, inScope)),
    families,
    reserved: request.reserved,
    restored: new Set(),
  };
  return assemblePlan(intent, readSet, context, findAll(context), (node) => choicesOf(node, families));
}

function placementRequest(intent: ChangePodCidrIntent, nodes: readonly NodeBlocks[]): PlacementRequest {
  const named = new Set(intent.nodes);
  return {
    nodes,
    reserved: intent.reserved.map(parseCidr),
    strategy: intent.mapping,
    inScope: (name) => named.size === 0 || named.has(name),
    takeOutside: (name) => named.has(name),
    assignMissing: intent.assignMissing,
    addFamily: intent.addFamily,
    pinned: new Map(),
  };
}

function planNode(
  blocks: NodeBlocks,
  families: readonly FamilyPlacement[],
  inScope: ReadonlySet<string>,
): PlannedNode {
  const isPlaced = families.some(({ placements }) => placements.has(blocks.node.name));
  if (!inScope.has(blocks.node.name) || !isPlaced)
    return plannedNode(blocks, storedBlocks(blocks), undefined);
  const after = blocksAfter(blocks, families);
  return plannedNode(blocks, after, editNode(blocks.node, after));
}

function checkNodeNames(names: readonly string[], nodes: readonly NodeBlocks[]): void {
  const known = new Set(nodes.map(({ node }) => node.name));
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  throw new EtcdcidrError("not-found", {
    what: `there is no Node ${unknown.join(", ")}`,
    why: `etcd holds ${known.size} Nodes, none of that name`,
    now: NOTHING_WRITTEN,
    next: "correct --node",
  });
}

function choicesOf({ blocks }: PlannedNode, families: readonly FamilyPlacement[]): readonly string[] {
  return families.flatMap(({ plan, placements }) => {
    const placement = placements.get(blocks.node.name);
    return placement === undefined ? [] : [describeChoice(placement, plan.family, families.length > 1)];
  });
}

function describeChoice({ choice, index }: Placement, family: Family, several: boolean): string {
  const text = choice === "index" ? `index ${index}` : choice;
  return several ? `IPv${family} ${text}` : text;
}

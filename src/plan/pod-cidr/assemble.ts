import { blockCount } from "../../cidr/blocks.js";
import { formatCidr } from "../../cidr/format.js";
import { backendOf } from "../backend.js";
import { usedBy } from "../findings/ranges.js";
import type { Intent } from "../intent.js";
import { apiServerSigns } from "../life-signs.js";
import type { Change, FamilyOutline, Finding, NodeOutline, Plan } from "../plan.js";
import { planId } from "../plan-id.js";
import type { ReadSet } from "../read-set.js";
import { chooseWriteMode } from "../write-mode.js";
import type { FindingContext, PlannedNode } from "./context.js";
import { type Block, type NodeBlocks, storedBlocks } from "./node-blocks.js";
import type { FamilyPlacement } from "./place-nodes.js";

export function plannedNode(
  blocks: NodeBlocks,
  after: readonly Block[],
  change: Change | undefined,
): PlannedNode {
  return {
    blocks,
    after: after.map(({ text }) => text),
    afterCidrs: after.map(({ cidr }) => cidr),
    ...(change === undefined ? {} : { change }),
  };
}

/** Turns what was decided for every Node into a plan. */
export function assemblePlan(
  intent: Intent,
  readSet: ReadSet,
  context: FindingContext,
  findings: readonly Finding[],
  choicesOf: (node: PlannedNode) => readonly string[],
  removed: readonly FamilyOutline[] = [],
): Plan {
  const changing = context.nodes.filter(({ change }) => change !== undefined);
  const groups = changing.flatMap(({ change }): Change[][] => (change === undefined ? [] : [[change]]));
  const content: Omit<Plan, "id"> = {
    cluster: readSet.cluster,
    readAt: readSet.revision,
    intent,
    outline: {
      families: [
        ...context.families
          .filter((placement) => isConcerned(placement, context))
          .map((placement) => outlineFamily(placement, context)),
        ...removed,
      ],
      nodes: changing.map((node) => outlineNode(node, choicesOf(node))),
      unchanged: context.nodes.length - changing.length,
    },
    mode: chooseWriteMode({
      operations: groups.length,
      bytes: changing.reduce((sum, node) => sum + writtenBytes(node), 0),
      lifeSigns: apiServerSigns(readSet, intent.nowMs),
      oneTransaction: intent.oneTransaction,
      backend: backendOf(readSet.cluster.etcdId),
    }),
    stages: groups.length === 0 ? [] : [{ name: "nodes", groups }],
    findings,
    nodeUids: new Map(
      context.nodes
        .filter(({ after }) => after.length > 0)
        .map(({ blocks: { node } }) => [node.name, node.uid]),
    ),
  };
  return { id: planId(content), ...content };
}

/** A family of which no Node has or gets a block is no part of the plan, although it was asked for. */
function isConcerned(placement: FamilyPlacement, context: FindingContext): boolean {
  const { leftAlone } = placement;
  const lacks = ({ blocks }: PlannedNode) => leftAlone.get(blocks.node.name) === "family missing";
  return context.nodes.length === 0 || !context.nodes.every(lacks);
}

function outlineFamily(placement: FamilyPlacement, context: FindingContext): FamilyOutline {
  const { plan } = placement;
  return {
    family: plan.family,
    target: formatCidr(plan.target),
    nodeMask: plan.blockLength,
    nodeMaskSource: plan.blockLengthSource,
    ...(plan.oldRange === undefined
      ? {}
      : { oldRange: formatCidr(plan.oldRange.cidr), oldRangeSource: plan.oldRange.source }),
    blocks: blockCount(plan.target, plan.blockLength),
    used: Number(usedBy(placement, context)),
  };
}

function outlineNode({ blocks, after }: PlannedNode, choices: readonly string[]): NodeOutline {
  const { name, key, uid } = blocks.node;
  const before = [...storedBlocks(blocks).map(({ text }) => text), ...blocks.garbage];
  return { name, key, uid, before, after, choices };
}

/** The value as it is, room for longer texts, and the key in compare and put. */
function writtenBytes({ blocks, after }: PlannedNode): number {
  const { key, valueBytes } = blocks.node;
  return valueBytes + 2 * after.join("").length + 2 * key.length + 64;
}

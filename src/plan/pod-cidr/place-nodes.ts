import type { Cidr, Family } from "../../cidr/cidr.js";
import { type FamilyPlan, isOutside } from "./family-plan.js";
import { type Mapping, mapBlocks, type Placement } from "./map-blocks.js";
import { heldOf, type NodeBlocks } from "./node-blocks.js";

/** Why a Node keeps what it has in a family. */
export type LeftAlone = "no block" | "outside" | "family missing";

/** What becomes of one family on every Node. */
export interface FamilyPlacement {
  readonly plan: FamilyPlan;
  readonly placements: ReadonlyMap<string, Placement>;
  readonly leftAlone: ReadonlyMap<string, LeftAlone>;
  /** Movers for which the target has no block. */
  readonly unplaced: readonly string[];
  /** Blocks could only be found among those that other Nodes hold now. */
  readonly overlapsCurrent: boolean;
}

export interface PlacementRequest {
  readonly nodes: readonly NodeBlocks[];
  readonly reserved: readonly Cidr[];
  readonly strategy: "index" | "compact";
  /** Whether the Node may be changed at all. */
  readonly inScope: (name: string) => boolean;
  /** Whether the Node may be changed although its block lies outside both ranges. */
  readonly takeOutside: (name: string) => boolean;
  readonly assignMissing: boolean;
  readonly addFamily: boolean;
  /** Blocks that are given back as they were (rollback), by Node name. */
  readonly pinned: ReadonlyMap<string, Cidr>;
}

export function placeNodes(plan: FamilyPlan, request: PlacementRequest): FamilyPlacement {
  const { family } = plan.target;
  const leftAlone = new Map<string, LeftAlone>();
  const movers: NodeBlocks[] = [];
  const taken: Cidr[] = request.reserved.filter((cidr) => cidr.family === family);
  for (const blocks of request.nodes) {
    const { name } = blocks.node;
    const pinned = request.pinned.get(name);
    const reason =
      pinned === undefined && request.inScope(name) ? whyLeftAlone(blocks, plan, request) : undefined;
    if (pinned !== undefined) taken.push(pinned);
    else if (!request.inScope(name) || reason !== undefined) taken.push(...currentBlock(blocks, family));
    else movers.push(blocks);
    if (reason !== undefined) leftAlone.set(name, reason);
  }
  const careful = map(plan, request, { movers, taken, currentIsFree: false });
  const overlapsCurrent = careful.unplaced.length > 0;
  const mapping = overlapsCurrent ? map(plan, request, { movers, taken, currentIsFree: true }) : careful;
  return {
    plan,
    placements: mapping.placements,
    leftAlone,
    unplaced: mapping.unplaced,
    overlapsCurrent: overlapsCurrent && mapping.unplaced.length === 0,
  };
}

interface MapInput {
  readonly movers: readonly NodeBlocks[];
  readonly taken: readonly Cidr[];
  readonly currentIsFree: boolean;
}

function map(plan: FamilyPlan, request: PlacementRequest, input: MapInput): Mapping {
  return mapBlocks({
    target: plan.target,
    blockLength: plan.blockLength,
    strategy: request.strategy,
    taken: input.taken,
    currentIsFree: input.currentIsFree,
    movers: input.movers.map((blocks) => {
      const current = heldOf(blocks, plan.family);
      return { node: blocks.node.name, ...(current === undefined ? {} : { current }) };
    }),
    ...(plan.oldRange === undefined ? {} : { oldRange: plan.oldRange.cidr }),
  });
}

function whyLeftAlone(
  blocks: NodeBlocks,
  plan: FamilyPlan,
  request: PlacementRequest,
): LeftAlone | undefined {
  if (blocks.held.length === 0) return request.assignMissing ? undefined : "no block";
  if (heldOf(blocks, plan.family) === undefined) return request.addFamily ? undefined : "family missing";
  const outside = isOutside(blocks, plan.target, plan.oldRange?.cidr);
  return outside && !request.takeOutside(blocks.node.name) ? "outside" : undefined;
}

function currentBlock(blocks: NodeBlocks, family: Family): Cidr[] {
  const held = heldOf(blocks, family);
  return held === undefined ? [] : [held.cidr];
}

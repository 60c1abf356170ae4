import { blockIndex } from "../../cidr/blocks.js";
import { type Cidr, contains } from "../../cidr/cidr.js";
import { type FamilyPlan, isOutside } from "./family-plan.js";
import { type Mapping, type Mover, mapBlocks, type Placement } from "./map-blocks.js";
import { cidrsOf, heldOf, type NodeBlocks } from "./node-blocks.js";

/** Why a Node keeps what it has in a family. */
export type LeftAlone = "no block" | "outside" | "family missing";

/** What becomes of one family on every Node. */
export interface FamilyPlacement {
  readonly plan: FamilyPlan;
  readonly placements: ReadonlyMap<string, Placement>;
  readonly leftAlone: ReadonlyMap<string, LeftAlone>;
  /** Movers for which the target has no block. */
  readonly unplaced: readonly string[];
  /** Nodes for which a block could only be found among those that other Nodes hold now. */
  readonly onOthers: readonly string[];
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
  readonly pinned: ReadonlyMap<string, readonly Cidr[]>;
}

export function placeNodes(plan: FamilyPlan, request: PlacementRequest): FamilyPlacement {
  const { family } = plan;
  const leftAlone = new Map<string, LeftAlone>();
  const movers: NodeBlocks[] = [];
  const leaving: Cidr[] = [];
  const taken: Cidr[] = request.reserved.filter((cidr) => cidr.family === family);
  for (const blocks of request.nodes) {
    const { name } = blocks.node;
    const pinned = request.pinned.get(name);
    const reason =
      pinned === undefined && request.inScope(name) ? whyLeftAlone(blocks, plan, request) : undefined;
    if (pinned !== undefined) {
      taken.push(...pinned);
      leaving.push(...cidrsOf(blocks, family));
    } else if (!request.inScope(name) || reason !== undefined) taken.push(...cidrsOf(blocks, family));
    else movers.push(blocks);
    if (reason !== undefined) leftAlone.set(name, reason);
  }
  const careful = map(plan, request, { movers, taken, leaving, currentIsFree: false });
  const tooFew = careful.unplaced.length > 0;
  const mapping = tooFew ? map(plan, request, { movers, taken, leaving, currentIsFree: true }) : careful;
  return { plan, leftAlone, ...mapping };
}

interface MapInput {
  readonly movers: readonly NodeBlocks[];
  readonly taken: readonly Cidr[];
  readonly leaving: readonly Cidr[];
  readonly currentIsFree: boolean;
}

function map(plan: FamilyPlan, request: PlacementRequest, input: MapInput): Mapping {
  return mapBlocks({
    target: plan.target,
    blockLength: plan.blockLength,
    strategy: request.strategy,
    ...input,
    movers: input.movers.map((blocks) => toMover(blocks, plan)),
    ...(plan.oldRange === undefined ? {} : { oldRange: plan.oldRange.cidr }),
  });
}

function toMover(blocks: NodeBlocks, { family, otherRange }: FamilyPlan): Mover {
  const current = heldOf(blocks, family);
  const other = blocks.held.find(({ cidr }) => cidr.family !== family)?.cidr;
  const index =
    other !== undefined && otherRange !== undefined && contains(otherRange, other)
      ? blockIndex(otherRange, other.length, other)
      : undefined;
  return {
    node: blocks.node.name,
    held: cidrsOf(blocks, family),
    ...(current === undefined ? {} : { current }),
    ...(index === undefined ? {} : { index }),
  };
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

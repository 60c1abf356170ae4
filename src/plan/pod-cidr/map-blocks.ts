import { blockAt, blockCount, blockIndex } from "../../cidr/blocks.js";
import { type Cidr, contains, lastAddress, overlaps } from "../../cidr/cidr.js";
import { createOccupancy, type Occupancy } from "../../cidr/occupancy.js";
import { createOverlapCounter, type OverlapCounter } from "./overlap-counter.js";

/** A Node that is to have a block of the target, and what it has now. */
export interface Mover {
  readonly node: string;
  /** The block that counts today. */
  readonly current?: { readonly cidr: Cidr; readonly canonical: boolean };
  /** All it holds of this family, the current block among them. */
  readonly held: readonly Cidr[];
  /** The index of a Node without a block of this family: that of its other family's block. */
  readonly index?: bigint;
}

export interface MappingRequest {
  readonly target: Cidr;
  readonly blockLength: number;
  /** Where indexes count from. */
  readonly oldRange?: Cidr;
  /** In natural name order. */
  readonly movers: readonly Mover[];
  /** What nobody may get: blocks of Nodes that are not changed, pinned blocks, reserved ranges. */
  readonly taken: readonly Cidr[];
  /** What Nodes that are no movers hold now and are about to leave. */
  readonly leaving: readonly Cidr[];
  readonly strategy: "index" | "compact";
  /** Whether a block that another Node holds now and leaves may be given away. */
  readonly currentIsFree: boolean;
}

export type Choice = "kept" | "own block" | "index" | "first free";

export interface Placement {
  readonly block: Cidr;
  readonly choice: Choice;
  /** Position in the old range, where the choice is `index`. */
  readonly index?: bigint;
}

export interface Mapping {
  readonly placements: ReadonlyMap<string, Placement>;
  readonly unplaced: readonly string[];
  /** Nodes that get addresses which another Node holds now. */
  readonly onOthers: readonly string[];
}

/**
 * Gives each mover one block: what it has, else a block inside or around its own, else its index, else the first
 * free. Each rule is applied to all movers before the next, so that no second choice takes another's first.
 */
export function mapBlocks(request: MappingRequest): Mapping {
  const board = createBoard(request);
  const rules = request.strategy === "index" ? [keep, insideOrAround, byIndex, firstFree] : [keep, firstFree];
  const occupancies = new Set([board.taken, board.avoided, board.contested]);
  let waiting = request.movers;
  for (const rule of rules) {
    waiting = waiting.filter((mover) => {
      const placement = rule(request, board, mover);
      if (placement === undefined) return true;
      for (const occupancy of occupancies) occupancy.occupy(placement.block);
      board.placements.set(mover.node, placement);
      return false;
    });
  }
  const { placements } = board;
  const onOthers = request.movers.filter((mover) => {
    const placement = placements.get(mover.node);
    return placement !== undefined && othersOver(board, mover, placement.block) > 0;
  });
  return {
    placements,
    unplaced: waiting.map(({ node }) => node),
    onOthers: onOthers.map(({ node }) => node),
  };
}

interface Board {
  readonly taken: Occupancy;
  /** How many of today's blocks overlap a given one in the target. */
  readonly current: OverlapCounter;
  /** What a search for the first free block has to avoid: all of today's blocks, the mover's own too. */
  readonly avoided: Occupancy;
  /** What a search inside the mover's own block has to avoid: whatever two Nodes hold. */
  readonly contested: Occupancy;
  readonly placements: Map<string, Placement>;
}

function createBoard({ target, movers, taken, leaving, currentIsFree }: MappingRequest): Board {
  const held = [...movers.flatMap((mover) => mover.held), ...leaving].filter((cidr) =>
    overlaps(cidr, target),
  );
  const occupied = occupancyOf(target, taken);
  // Where nothing has to be avoided besides, the three are one: each block is occupied bit by bit.
  const besides = (cidrs: readonly Cidr[]) =>
    currentIsFree || cidrs.length === 0 ? occupied : occupancyOf(target, [...taken, ...cidrs]);
  return {
    taken: occupied,
    current: createOverlapCounter(held),
    avoided: besides(held),
    contested: besides(heldTwice(held)),
    placements: new Map(),
  };
}

function occupancyOf({ family }: Cidr, cidrs: readonly Cidr[]): Occupancy {
  const occupancy = createOccupancy(family);
  for (const cidr of cidrs) occupancy.occupy(cidr);
  return occupancy;
}

/** The blocks that lie in another one, or are the same: prefixes overlap in no other way. */
function heldTwice(cidrs: readonly Cidr[]): readonly Cidr[] {
  const sorted = [...cidrs].sort((left, right) =>
    left.base === right.base ? left.length - right.length : Number(left.base > right.base) * 2 - 1,
  );
  let end = -1n;
  return sorted.filter((cidr) => {
    const inside = cidr.base <= end;
    if (!inside) end = lastAddress(cidr);
    return inside;
  });
}

/** How many of other Nodes' blocks of today overlap the given one, which lies in the target. */
function othersOver(board: Board, mover: Mover, block: Cidr): number {
  return board.current.count(block) - mover.held.filter((cidr) => overlaps(cidr, block)).length;
}

type Rule = (request: MappingRequest, board: Board, mover: Mover) => Placement | undefined;

const keep: Rule = ({ target, blockLength }, board, mover) => {
  const { current } = mover;
  if (!current?.canonical || current.cidr.length !== blockLength || !contains(target, current.cidr))
    return undefined;
  const isOurs = board.taken.isFree(current.cidr) && othersOver(board, mover, current.cidr) === 0;
  return isOurs ? { block: current.cidr, choice: "kept" } : undefined;
};

const insideOrAround: Rule = (request, board, mover) => {
  const block = ownBlock(request, board, mover);
  return block && { block, choice: "own block" };
};

const byIndex: Rule = (request, board, mover) => {
  const index = indexOf(request, mover);
  if (index === undefined || index >= blockCount(request.target, request.blockLength)) return undefined;
  const block = blockAt(request.target, request.blockLength, index);
  return isFreeFor(request, board, mover, block) ? { block, choice: "index", index } : undefined;
};

function indexOf({ oldRange }: MappingRequest, { current, index }: Mover): bigint | undefined {
  if (current === undefined) return index;
  if (oldRange === undefined || !contains(oldRange, current.cidr)) return undefined;
  return blockIndex(oldRange, current.cidr.length, current.cidr);
}

const firstFree: Rule = (request, board, mover) => {
  const anywhere = board.avoided.firstFree(request.target, request.blockLength);
  const own = ownBlock(request, board, mover);
  const block = own !== undefined && (anywhere === undefined || own.base < anywhere.base) ? own : anywhere;
  return block && { block, choice: "first free" };
};

/** The first free block inside the mover's current one, or the one around it. */
function ownBlock(request: MappingRequest, board: Board, mover: Mover): Cidr | undefined {
  const { target, blockLength } = request;
  const current = mover.current?.cidr;
  if (current === undefined || !overlaps(target, current)) return undefined;
  if (current.length >= blockLength) {
    const around = blockAround(target, blockLength, current);
    return around && isFreeFor(request, board, mover, around) ? around : undefined;
  }
  const within = contains(target, current) ? current : target;
  return board.contested.firstFree(within, blockLength);
}

function blockAround(target: Cidr, blockLength: number, inner: Cidr): Cidr | undefined {
  const index = blockIndex(target, blockLength, inner);
  return index === undefined ? undefined : blockAt(target, blockLength, index);
}

function isFreeFor({ currentIsFree }: MappingRequest, board: Board, mover: Mover, block: Cidr): boolean {
  return board.taken.isFree(block) && (currentIsFree || othersOver(board, mover, block) === 0);
}

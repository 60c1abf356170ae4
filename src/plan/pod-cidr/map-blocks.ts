import { blockAt, blockCount, blockIndex } from "../../cidr/blocks.js";
import { type Cidr, contains, overlaps } from "../../cidr/cidr.js";
import { createOccupancy, type Occupancy } from "../../cidr/occupancy.js";
import { createOverlapCounter, type OverlapCounter } from "./overlap-counter.js";

/** A Node that is to have a block of the target, and the block it has now. */
export interface Mover {
  readonly node: string;
  readonly current?: { readonly cidr: Cidr; readonly canonical: boolean };
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
  readonly strategy: "index" | "compact";
  /** Whether a block that another mover holds now may be given away. */
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
}

/**
 * Gives each mover one block: what it has, else a block inside or around its own, else its index, else the first
 * free. Each rule is applied to all movers before the next, so that no second choice takes another's first.
 */
export function mapBlocks(request: MappingRequest): Mapping {
  const board = createBoard(request);
  const rules = request.strategy === "index" ? [keep, insideOrAround, byIndex, firstFree] : [keep, firstFree];
  let waiting = request.movers;
  for (const rule of rules) {
    waiting = waiting.filter((mover) => {
      const placement = rule(request, board, mover);
      if (placement === undefined) return true;
      board.taken.occupy(placement.block);
      board.avoided.occupy(placement.block);
      board.placements.set(mover.node, placement);
      return false;
    });
  }
  return { placements: board.placements, unplaced: waiting.map((mover) => mover.node) };
}

interface Board {
  readonly taken: Occupancy;
  /** What the movers hold now. */
  readonly current: OverlapCounter;
  /** Both together: what a first-free search has to avoid. */
  readonly avoided: Occupancy;
  readonly placements: Map<string, Placement>;
}

function createBoard({ target, movers, taken, currentIsFree }: MappingRequest): Board {
  const held = movers.flatMap((mover) => (mover.current === undefined ? [] : [mover.current.cidr]));
  const occupied = occupancyOf(target, taken);
  const avoided = occupancyOf(target, currentIsFree ? taken : [...taken, ...held]);
  return { taken: occupied, current: createOverlapCounter(held), avoided, placements: new Map() };
}

function occupancyOf({ family }: Cidr, cidrs: readonly Cidr[]): Occupancy {
  const occupancy = createOccupancy(family);
  for (const cidr of cidrs) occupancy.occupy(cidr);
  return occupancy;
}

type Rule = (request: MappingRequest, board: Board, mover: Mover) => Placement | undefined;

const keep: Rule = ({ target, blockLength }, board, { current }) => {
  if (!current?.canonical || current.cidr.length !== blockLength || !contains(target, current.cidr))
    return undefined;
  const heldByOthers = board.current.count(current.cidr) > 1 || !board.taken.isFree(current.cidr);
  return heldByOthers ? undefined : { block: current.cidr, choice: "kept" };
};

const insideOrAround: Rule = (request, board, mover) => {
  const block = ownBlock(request, board, mover);
  return block && { block, choice: "own block" };
};

const byIndex: Rule = (request, board, mover) => {
  const { oldRange, target, blockLength } = request;
  if (oldRange === undefined || mover.current === undefined) return undefined;
  if (!contains(oldRange, mover.current.cidr)) return undefined;
  const index = blockIndex(oldRange, mover.current.cidr.length, mover.current.cidr);
  if (index === undefined || index >= blockCount(target, blockLength)) return undefined;
  const block = blockAt(target, blockLength, index);
  return isFreeFor(request, board, mover, block) ? { block, choice: "index", index } : undefined;
};

const firstFree: Rule = (request, board, mover) => {
  const anywhere = board.avoided.firstFree(request.target, request.blockLength);
  const own = ownBlock(request, board, mover);
  const block = own !== undefined && (anywhere === undefined || own.base < anywhere.base) ? own : anywhere;
  return block && { block, choice: "first free" };
};

/** The first free block inside the mover's current one, or the one around it. */
function ownBlock(request: MappingRequest, board: Board, mover: Mover): Cidr | undefined {
  const { target, blockLength, currentIsFree } = request;
  const current = mover.current?.cidr;
  if (current === undefined || !overlaps(target, current)) return undefined;
  if (current.length >= blockLength) {
    const around = blockAround(target, blockLength, current);
    return around && isFreeFor(request, board, mover, around) ? around : undefined;
  }
  if (!contains(target, current)) return undefined;
  const shared = !currentIsFree && board.current.count(current) > 1;
  return shared ? undefined : board.taken.firstFree(current, blockLength);
}

function blockAround(target: Cidr, blockLength: number, inner: Cidr): Cidr | undefined {
  const index = blockIndex(target, blockLength, inner);
  return index === undefined ? undefined : blockAt(target, blockLength, index);
}

function isFreeFor({ currentIsFree }: MappingRequest, board: Board, mover: Mover, block: Cidr): boolean {
  if (!board.taken.isFree(block)) return false;
  if (currentIsFree) return true;
  const own = mover.current !== undefined && overlaps(mover.current.cidr, block) ? 1 : 0;
  return board.current.count(block) === own;
}

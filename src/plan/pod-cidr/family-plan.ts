import { type Cidr, contains, type Family } from "../../cidr/cidr.js";
import type { ChangePodCidrIntent } from "../intent.js";
import type { ReadSet } from "../read-set.js";
import { chooseBlockLength } from "./block-length.js";
import { heldOf, type NodeBlocks } from "./node-blocks.js";
import { findOldRange, findOtherRange, type OldRange } from "./old-range.js";

/** What is to become of one family: from where, to where, in blocks of which length. */
export interface FamilyPlan {
  readonly family: Family;
  readonly target: Cidr;
  readonly blockLength: number;
  readonly blockLengthSource: string;
  readonly oldRange?: OldRange;
  /** The old range of the other family: a Node that gets this family anew takes its index from there. */
  readonly otherRange?: Cidr;
}

export function planFamily(
  target: Cidr,
  intent: ChangePodCidrIntent,
  readSet: ReadSet,
  nodes: readonly NodeBlocks[],
): FamilyPlan {
  const { family } = target;
  const oldRange = findOldRange(family, target, readSet, nodes);
  const otherRange = findOtherRange(family, intent, readSet, nodes);
  const members = nodes.filter((blocks) => !isOutside(blocks, target, oldRange?.cidr));
  const { value, source } = chooseBlockLength(target, intent, readSet, members);
  return {
    family,
    target,
    blockLength: value,
    blockLengthSource: source,
    ...(oldRange === undefined ? {} : { oldRange }),
    ...(otherRange === undefined ? {} : { otherRange }),
  };
}

/** A Node is outside when its block lies neither in the old range nor in the target. */
export function isOutside(blocks: NodeBlocks, target: Cidr, oldRange: Cidr | undefined): boolean {
  const held = heldOf(blocks, target.family)?.cidr;
  if (held === undefined) return false;
  return !contains(target, held) && !(oldRange !== undefined && contains(oldRange, held));
}

import type { Family } from "../../cidr/cidr.js";
import { parseCidr, readStoredCidr } from "../../cidr/parse.js";
import type { FieldEdit } from "../../schema/field-edit.js";
import type { JournaledChange } from "../journaled-change.js";
import type { FamilyOutline } from "../plan.js";
import type { PlannedNode } from "./context.js";
import type { FamilyPlan } from "./family-plan.js";
import { heldOf, type NodeBlocks } from "./node-blocks.js";
import type { NodeReturn } from "./restore-node.js";

/** Stands for the range of a family that there is no more. */
export const NO_RANGE = "(none)";

/** A change's families the other way round. */
export interface FamiliesBack {
  readonly plans: readonly FamilyPlan[];
  /** Families that the change had added: there is no range to return to. */
  readonly removed: readonly FamilyOutline[];
}

export function familiesBack(
  change: JournaledChange,
  nodes: readonly NodeBlocks[],
  returns: ReadonlyMap<string, NodeReturn>,
): FamiliesBack {
  const outlines = change.begin.plan.families;
  const bystanders = nodes.filter(({ node }) => returns.get(node.name)?.kind === "bystander");
  const edits = [...change.keys.values()].flatMap((key) => key.edits);
  const wasThere = (family: Family) =>
    edits.some(({ old }) => hasFamily(old, family)) ||
    bystanders.some((blocks) => heldOf(blocks, family) !== undefined);
  // Nodes that had no block at all were to get some: then no family was added to another.
  const hadBlocks = wasThere(4) || wasThere(6);
  const wasAdded = ({ family }: FamilyOutline) => hadBlocks && !wasThere(family);
  const restored = [...returns.values()].flatMap((entry) =>
    entry.kind === "restored" ? [entry.planned] : [],
  );
  return {
    plans: outlines.filter((outline) => !wasAdded(outline)).map((outline) => planBack(outline, restored)),
    removed: outlines.filter(wasAdded).map(outlineRemoved),
  };
}

function hasFamily(value: FieldEdit["old"], family: Family): boolean {
  const texts = Array.isArray(value) ? value : [value];
  return texts.some((text) => typeof text === "string" && readStoredCidr(text)?.cidr.family === family);
}

/** Where a change found no old range, all blocks lay in the new one. */
function planBack(outline: FamilyOutline, restored: readonly PlannedNode[]): FamilyPlan {
  const { family, target, nodeMask } = outline;
  const source = "the change that is rolled back";
  return {
    family,
    target: parseCidr(outline.oldRange ?? target),
    blockLength: commonLength(family, restored) ?? nodeMask,
    blockLengthSource: "as most Nodes had before the change",
    ...(target === NO_RANGE ? {} : { oldRange: { cidr: parseCidr(target), source } }),
  };
}

function commonLength(family: Family, restored: readonly PlannedNode[]): number | undefined {
  const counts = new Map<number, number>();
  for (const cidr of restored.flatMap(({ afterCidrs }) => afterCidrs)) {
    if (cidr.family === family) counts.set(cidr.length, (counts.get(cidr.length) ?? 0) + 1);
  }
  return [...counts].sort(([, left], [, right]) => right - left)[0]?.[0];
}

function outlineRemoved({ family, target, nodeMask }: FamilyOutline): FamilyOutline {
  return {
    family,
    target: NO_RANGE,
    nodeMask,
    nodeMaskSource: "of the range that goes",
    oldRange: target,
    oldRangeSource: "the change that is rolled back, which had added this family",
    blocks: 0n,
    used: 0,
  };
}

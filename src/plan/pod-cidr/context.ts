import type { Cidr } from "../../cidr/cidr.js";
import type { Change } from "../plan.js";
import type { ReadSet } from "../read-set.js";
import type { NodeBlocks } from "./node-blocks.js";
import type { FamilyPlacement } from "./place-nodes.js";

/** A Node and what the plan makes of it. */
export interface PlannedNode {
  readonly blocks: NodeBlocks;
  /** Its blocks once the change is done, in the order of the fields. */
  readonly after: readonly string[];
  /** The same, read. */
  readonly afterCidrs: readonly Cidr[];
  /** Absent when the Node needs no edit. */
  readonly change?: Change;
}

/** What the findings of a change of Node blocks are made from. */
export interface FindingContext {
  readonly readSet: ReadSet;
  readonly nowMs: number;
  readonly nodes: readonly PlannedNode[];
  readonly families: readonly FamilyPlacement[];
  readonly reserved: readonly Cidr[];
  /** Keys of the Nodes that get back what they had (rollback). */
  readonly restored: ReadonlySet<string>;
}

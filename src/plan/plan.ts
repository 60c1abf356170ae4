import type { Family } from "../cidr/cidr.js";
import type { FieldEdit } from "../schema/field-edit.js";
import type { Intent } from "./intent.js";

/** What is done to one key. `sha256` is that of the stored value the plan was made from, lower-case hex. */
export type Change =
  | { readonly action: "create"; readonly key: string; readonly value: Uint8Array }
  | {
      readonly action: "update";
      readonly key: string;
      readonly modRevision: bigint;
      readonly sha256: string;
      readonly edits: readonly FieldEdit[];
    }
  | {
      readonly action: "delete";
      readonly key: string;
      readonly modRevision: bigint;
      readonly sha256: string;
    };

/** What must be committed before the next stage begins. A batch never splits a group. */
export interface Stage {
  readonly name: string;
  readonly groups: readonly (readonly Change[])[];
}

/** Something the planner noticed, the harm first. */
export interface Finding {
  readonly code: string;
  readonly severity: "blocker" | "warning";
  /** Whether `--accept <code>` lifts the blocker. */
  readonly acceptable: boolean;
  readonly keys: readonly string[];
  readonly what: string;
  readonly why: string;
  readonly next: string;
}

export interface ClusterIdentity {
  /** etcd's cluster id; 0 on kine. */
  readonly etcdId: bigint;
  /** The uid of namespace kube-system, which tells clusters apart even behind kine. */
  readonly kubeSystemUid: string;
}

/** How the changes are sent: what is joined into one Txn, and why. */
export interface WriteMode {
  readonly kind: "one-transaction" | "batches" | "one-node-a-transaction" | "key-by-key";
  readonly why: string;
}

/** One family's line of the plan. */
export interface FamilyOutline {
  readonly family: Family;
  /** `(none)` where a rollback takes away a family that the change had added. */
  readonly target: string;
  readonly nodeMask: number;
  readonly nodeMaskSource: string;
  readonly oldRange?: string;
  readonly oldRangeSource?: string;
  /** Blocks that the target has, and those that are held once the change is done. */
  readonly blocks: bigint;
  readonly used: number;
}

/** A Node that the plan changes. */
export interface NodeOutline {
  readonly name: string;
  readonly key: string;
  readonly uid: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Why it gets these blocks, a family each. */
  readonly choices: readonly string[];
}

/** What the operator is shown: everything that is said about a plan beside its findings. */
export interface Outline {
  readonly families: readonly FamilyOutline[];
  readonly nodes: readonly NodeOutline[];
  /** Nodes that need no edit. */
  readonly unchanged: number;
}

export interface Plan {
  /** Hash of the plan's content: the same input gives the same id. */
  readonly id: string;
  readonly cluster: ClusterIdentity;
  readonly readAt: bigint;
  readonly intent: Intent;
  readonly outline: Outline;
  readonly mode: WriteMode;
  readonly stages: readonly Stage[];
  readonly findings: readonly Finding[];
  /** uid of every Node that had a block or gets one, by name: who is not among them has got its block since. */
  readonly nodeUids: ReadonlyMap<string, string>;
}

/** A compare of a Txn: the key must (still) be at this revision; 0 means that it must not exist. */
export interface Precondition {
  readonly key: string;
  readonly modRevision: bigint;
}

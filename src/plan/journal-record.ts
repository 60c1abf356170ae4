import type { FieldEdit } from "../schema/field-edit.js";
import type { ChangeState } from "./change-state.js";
import type { NodeOutline, Plan } from "./plan.js";

/** One line of a journal. The order is begin, originals, ready, then what happened, then end. */
export type JournalRecord =
  | BeginRecord
  | OriginalRecord
  | ReadyRecord
  | IntentRecord
  | CommittedRecord
  | DroppedRecord
  | EndRecord
  | ResumedRecord;

/** What a plan is about, without the changes themselves: those are in the `original` records. */
export type PlanHeader = Pick<Plan, "id" | "cluster" | "readAt" | "intent" | "mode" | "nodeUids"> & {
  readonly families: Plan["outline"]["families"];
};

export interface BeginRecord {
  readonly type: "begin";
  readonly changeId: string;
  readonly atMs: number;
  readonly toolVersion: string;
  readonly host: string;
  readonly user: string;
  readonly endpoint: string;
  readonly plan: PlanHeader;
}

/** A key as it was stored, and what is to become of it. */
export interface OriginalRecord {
  readonly type: "original";
  readonly key: string;
  readonly modRevision: bigint;
  readonly sha256: string;
  readonly outline: NodeOutline;
  readonly edits: readonly FieldEdit[];
  /** The stored bytes, encrypted ones as they are. */
  readonly value: Uint8Array;
}

/** Everything needed for the way back is on disk; only now may anything be sent. */
export interface ReadyRecord {
  readonly type: "ready";
  readonly originals: number;
}

/** These keys may have been written with these bytes from now on. */
export interface IntentRecord {
  readonly type: "intent";
  readonly txn: number;
  readonly keys: readonly SentKey[];
}

export interface SentKey {
  readonly key: string;
  /** The revision the Txn compares with. */
  readonly modRevision: bigint;
  /** Of the bytes that are sent. */
  readonly sha256: string;
}

export interface CommittedRecord {
  readonly type: "committed";
  /** Absent where the keys were found to hold what was meant, whichever Txn wrote it. */
  readonly txn?: number;
  readonly revision: bigint;
  readonly keys: readonly string[];
}

/** A key that is not to be written any more: its Node is gone, or is another one of that name. */
export interface DroppedRecord {
  readonly type: "dropped";
  readonly key: string;
  readonly reason: "deleted" | "re-created";
}

export interface EndRecord {
  readonly type: "end";
  /** `undone`: a rollback found nothing of it left to be given back. */
  readonly state: ChangeState;
  readonly atMs: number;
}

/** The change is gone on with; what an earlier `end` said holds no more. */
export interface ResumedRecord {
  readonly type: "resumed";
  readonly atMs: number;
  readonly host: string;
  readonly user: string;
}

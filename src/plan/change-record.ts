import type { ChangeState } from "./change-state.js";
import type { PlanHeader } from "./journal-record.js";
import type { JournaledChange } from "./journaled-change.js";
import { parseOwn } from "./own-json.js";

/** Where the changes' records lie in etcd: each behind its id. */
export const RECORDS_PREFIX = "/etcdcidr/changes/";

/** A change as another control-plane host sees it; the value of its key below RECORDS_PREFIX. */
export interface ChangeRecord {
  readonly id: string;
  readonly operation: string;
  /** The change that a rollback undoes. */
  readonly of?: string;
  /** What it is about, as `changes` shows it. */
  readonly what?: string;
  /** The ranges that its Nodes' blocks come from. */
  readonly targets?: readonly string[];
  readonly host: string;
  readonly user: string;
  /** Where its journal lies on that host. */
  readonly journal: string;
  readonly atMs: number;
  readonly state: RecordedState;
  /** How many Nodes it is about, and how many of them were known to be written. */
  readonly nodes?: number;
  readonly written?: number;
  /** The rollback that has undone it. */
  readonly undoneBy?: string;
}

/** `running` also stands where a run was killed: then nobody holds the lock for it. */
export type RecordedState = ChangeState | "running";

const CLOSED: ReadonlySet<RecordedState> = new Set(["done", "not-verified", "not-written", "undone"]);

/** Whether a change may have left part of its Nodes written. A state that is not known is no reason to go on. */
export function isOpen({ state, undoneBy }: ChangeRecord): boolean {
  return undoneBy === undefined && !CLOSED.has(state);
}

/** Whether it has written something that nobody has given back. */
export function stands({ state, undoneBy }: ChangeRecord): boolean {
  return undoneBy === undefined && state !== "not-written" && state !== "undone";
}

/** Its state for who reads it. */
export function shownState({ state, undoneBy }: ChangeRecord): RecordedState {
  return undoneBy === undefined ? state : "undone";
}

/**
 * Whether another host has gone on with a change since its journal was carried there: the journal here, which has it half
 * done, is out of date then, and must decide nothing.
 */
export function isOutOfDate({ hosts }: JournaledChange, record: ChangeRecord | undefined): boolean {
  return record !== undefined && (!isOpen(record) || !hosts.has(record.host));
}

/** Undefined for a value that this tool did not write. */
export function parseChangeRecord(value: Uint8Array): ChangeRecord | undefined {
  return parseOwn<ChangeRecord>(value, "state");
}

/** What of a record only the run knows: where the journal lies now, and how far the change has come. */
export type Progress = Pick<ChangeRecord, "host" | "user" | "journal" | "state" | "nodes" | "written">;

/** The record of a change, from its journal's first line. */
export function recordOf(
  { changeId, atMs, plan }: { readonly changeId: string; readonly atMs: number; readonly plan: PlanHeader },
  progress: Progress,
): ChangeRecord {
  const { intent } = plan;
  const of = intent.operation === "rollback" ? { of: intent.changeId } : {};
  return {
    id: changeId,
    operation: intent.operation,
    ...of,
    what: describeChange(plan),
    targets: plan.families.map(({ target }) => target),
    atMs,
    ...progress,
  };
}

/** `10.112.0.0/16 -> 10.212.0.0/16`, or `of` and the change that is undone. */
export function describeChange({ intent, families }: PlanHeader): string {
  if (intent.operation === "rollback") return `of ${intent.changeId}`;
  return families.map(({ oldRange, target }) => `${oldRange ?? "(none)"} -> ${target}`).join(", ");
}

import type { BeginRecord } from "./journal-record.js";
import type { JournaledChange } from "./journaled-change.js";

/** Keys of the tool itself in etcd, outside Kubernetes' prefix. */
export const LOCK_KEY = "/etcdcidr/lock";
export const RECORDS_PREFIX = "/etcdcidr/changes/";
export const OWN_PREFIX = "/etcdcidr/";

/** Who holds the lock; the value of the lock's key. */
export interface LockHolder {
  readonly changeId: string;
  readonly host: string;
  /** The kernel's boot id and the pid namespace: after a reboot, or from another namespace, a pid tells nothing. */
  readonly bootId: string;
  readonly pid: number;
  readonly user: string;
  readonly sinceMs: number;
}

/** A change as another control-plane host sees it; the value of its key below RECORDS_PREFIX. */
export interface ChangeRecord {
  readonly id: string;
  readonly operation: string;
  /** The change that a rollback undoes. */
  readonly of?: string;
  readonly host: string;
  readonly user: string;
  /** Where its journal lies on that host. */
  readonly journal: string;
  readonly atMs: number;
  readonly state: RecordedState;
  /** The rollback that has undone it. */
  readonly undoneBy?: string;
}

/** `running` also stands where a run was killed; only its journal tells more. */
export type RecordedState =
  | "running"
  | "done"
  | "not-verified"
  | "stopped"
  | "interrupted"
  | "in-doubt"
  | "not-written"
  | "undone";

/** Whether a change may have left part of its Nodes written. */
export function isOpen({ state, undoneBy }: ChangeRecord): boolean {
  if (undoneBy !== undefined) return false;
  return state === "running" || state === "stopped" || state === "interrupted" || state === "in-doubt";
}

/**
 * Whether another host has gone on with a change since its journal was carried there: the journal here, which has it half
 * done, is out of date then, and must decide nothing.
 */
export function isOutOfDate({ hosts }: JournaledChange, record: ChangeRecord | undefined): boolean {
  return record !== undefined && (!isOpen(record) || !hosts.has(record.host));
}

export function toJsonBytes(value: LockHolder | ChangeRecord): Uint8Array {
  return Buffer.from(JSON.stringify(value), "utf8");
}

/** Undefined for a value that this tool did not write. */
export function parseLockHolder(value: Uint8Array): LockHolder | undefined {
  return parse<LockHolder>(value, "pid");
}

export function parseChangeRecord(value: Uint8Array): ChangeRecord | undefined {
  return parse<ChangeRecord>(value, "state");
}

function parse<Value>(value: Uint8Array, needed: keyof Value & string): Value | undefined {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(value).toString("utf8"));
    const isOurs = typeof parsed === "object" && parsed !== null && Object.hasOwn(parsed, needed);
    return isOurs ? (parsed as Value) : undefined;
  } catch {
    // Whatever stands there, it is not ours; the caller says so.
    return undefined;
  }
}

/** The record of a change, from its journal's first line and where that journal lies now. */
export function recordOf(
  { changeId, atMs, plan }: BeginRecord,
  place: Pick<ChangeRecord, "host" | "user" | "journal">,
  state: RecordedState,
): ChangeRecord {
  const { intent } = plan;
  const of = intent.operation === "rollback" ? { of: intent.changeId } : {};
  return { id: changeId, operation: intent.operation, ...of, ...place, atMs, state };
}

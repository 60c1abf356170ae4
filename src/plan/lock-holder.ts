import type { JournaledChange } from "./journaled-change.js";

/** Keys of the tool itself in etcd, outside Kubernetes' prefix. */
export const LOCK_KEY = "/etcdcidr/lock";
export const RECORDS_PREFIX = "/etcdcidr/changes/";
export const OWN_PREFIX = "/etcdcidr/";

/** Who holds the lock; the value of the lock's key. */
export interface LockHolder {
  readonly changeId: string;
  readonly host: string;
  /** The kernel's boot id: after a reboot a pid tells nothing. */
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
}

/** `running` also stands where a run was killed; only its journal tells more. */
export type RecordedState =
  | "running"
  | "done"
  | "not-verified"
  | "stopped"
  | "interrupted"
  | "in-doubt"
  | "not-written";

/** Whether a change of this state may have left part of its Nodes written. */
export function isOpen(state: RecordedState): boolean {
  return state !== "done" && state !== "not-verified" && state !== "not-written";
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

/** The record of a change, from its journal's first line. */
export function recordOf(
  { begin }: Pick<JournaledChange, "begin">,
  journal: string,
  state: RecordedState,
): ChangeRecord {
  const { changeId, host, user, atMs, plan } = begin;
  const { intent } = plan;
  const of = intent.operation === "rollback" ? { of: intent.changeId } : {};
  return { id: changeId, operation: intent.operation, ...of, host, user, journal, atMs, state };
}

import type { Backend } from "../plan/backend.js";
import { type ChangeRecord, parseChangeRecord, RECORDS_PREFIX } from "../plan/change-record.js";
import { LOCK_KEY, type LockHolder, parseLockHolder } from "../plan/lock-holder.js";
import type { Etcd, Host } from "../ports.js";
import type { KeyValue } from "../storage/key-value.js";
import { lifeOf } from "./lock.js";
import { readPrefix } from "./range-reader.js";

/** What the tool keeps in etcd, as it was at one moment. */
export interface OwnKeys {
  /** The changes that any control-plane host has recorded, oldest first; `running` are only those that hold the lock. */
  readonly records: readonly ChangeRecord[];
  /** Absent: nobody holds the lock, or a process of this host that is dead. */
  readonly lock?: HeldLock;
}

export interface HeldLock {
  /** Undefined for a value that this tool did not write. */
  readonly holder: LockHolder | undefined;
  /** `unknown`: of another host, so it lives or has died within its lease's time. */
  readonly life: "alive" | "unknown";
}

export interface OwnKeysRequest {
  readonly etcd: Etcd;
  readonly backend: Backend;
}

export async function readOwnKeys({ etcd, backend }: OwnKeysRequest, host: Host): Promise<OwnKeys> {
  const { keyValues, revision } = await etcd.range({ key: LOCK_KEY });
  const lock = heldLock(keyValues[0], host);
  const records: ChangeRecord[] = [];
  for await (const page of readPrefix(etcd, RECORDS_PREFIX, { revision }))
    records.push(...page.flatMap(({ value }) => parseChangeRecord(value) ?? []));
  // kine has no lock: there nobody can tell whether a run was killed.
  const isRunning = ({ id }: ChangeRecord) => backend === "kine" || lock?.holder?.changeId === id;
  return {
    records: records.map((record) =>
      record.state === "running" && !isRunning(record) ? { ...record, state: "in-doubt" } : record,
    ),
    ...(lock === undefined ? {} : { lock }),
  };
}

function heldLock(current: KeyValue | undefined, host: Host): HeldLock | undefined {
  if (current === undefined) return undefined;
  const holder = parseLockHolder(current.value);
  const life = holder === undefined ? "unknown" : lifeOf(holder, host);
  return life === "dead" ? undefined : { holder, life };
}

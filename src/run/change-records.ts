import { type ChangeRecord, isOpen, parseChangeRecord, RECORDS_PREFIX } from "../plan/change-record.js";
import { toJsonBytes } from "../plan/own-json.js";
import type { Precondition } from "../plan/plan.js";
import type { Etcd } from "../ports.js";
import { readPrefix } from "./range-reader.js";

/** The changes that any control-plane host has recorded in etcd, as they are written there, oldest first. */
export async function readChangeRecords(etcd: Etcd): Promise<readonly ChangeRecord[]> {
  const records: ChangeRecord[] = [];
  for await (const page of readPrefix(etcd, RECORDS_PREFIX, { revision: 0n })) {
    for (const { value } of page) {
      const record = parseChangeRecord(value);
      if (record !== undefined) records.push(record);
    }
  }
  return records;
}

/** One change's record; undefined where there is none. */
export async function readChangeRecord(etcd: Etcd, changeId: string): Promise<ChangeRecord | undefined> {
  const [current] = (await etcd.range({ key: keyOf(changeId) })).keyValues;
  return current === undefined ? undefined : parseChangeRecord(current.value);
}

/** Writes or rewrites a change's record, unless a precondition is lost: then another run has the say. */
export async function writeChangeRecord(
  etcd: Etcd,
  record: ChangeRecord,
  preconditions: readonly Precondition[],
): Promise<void> {
  const key = keyOf(record.id);
  const value = toJsonBytes(record);
  const [current] = (await etcd.range({ key })).keyValues;
  const operation =
    current === undefined
      ? ({ action: "create", key, value } as const)
      : ({ action: "update", key, value, modRevision: current.modRevision } as const);
  await etcd.txn({ operations: [operation], preconditions });
}

/**
 * Records that a rollback has undone a change, and has finished what earlier rollbacks of it had left half done. If that was a
 * rollback itself, what it had undone stands again.
 */
export async function recordUndone(
  etcd: Etcd,
  changeId: string,
  undoneBy: string,
  preconditions: readonly Precondition[],
): Promise<void> {
  for (const record of await readChangeRecords(etcd)) {
    const { id, of } = record;
    if (id === changeId || (of === changeId && id !== undoneBy && isOpen(record))) {
      await writeChangeRecord(etcd, { ...record, undoneBy }, preconditions);
    } else if (record.undoneBy === changeId) {
      const { undoneBy: _undoneBy, ...standing } = record;
      await writeChangeRecord(etcd, standing, preconditions);
    }
  }
}

function keyOf(changeId: string): string {
  return `${RECORDS_PREFIX}${changeId}`;
}

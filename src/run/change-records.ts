import { type ChangeRecord, parseChangeRecord, RECORDS_PREFIX, toJsonBytes } from "../plan/lock-holder.js";
import type { Precondition } from "../plan/plan.js";
import type { Etcd } from "../ports.js";
import { readPrefix } from "./range-reader.js";

/** The changes that any control-plane host has recorded in etcd, oldest first. */
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

/**
 * Writes or rewrites a change's record. Best effort: it tells other hosts where the journal lies, and decides nothing. Returns
 * whether it was written.
 */
export async function writeChangeRecord(
  etcd: Etcd,
  record: ChangeRecord,
  preconditions: readonly Precondition[],
): Promise<boolean> {
  const key = `${RECORDS_PREFIX}${record.id}`;
  const value = toJsonBytes(record);
  const [current] = (await etcd.range({ key })).keyValues;
  const operation =
    current === undefined
      ? ({ action: "create", key, value } as const)
      : ({ action: "update", key, value, modRevision: current.modRevision } as const);
  const outcome = await etcd.txn({ operations: [operation], preconditions });
  return outcome.kind === "committed";
}

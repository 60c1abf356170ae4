import { type ChangeRecord, isOpen } from "../plan/change-record.js";
import { type JournaledChange, writtenKeys } from "../plan/journaled-change.js";
import { isUnfinished, isWaiting, rollbacksByUndone } from "../plan/select-change.js";
import { readChangeRecords, writeChangeRecord } from "../run/change-records.js";
import type { Io } from "./io.js";
import type { Session } from "./session.js";

/**
 * A run that was killed after its journal was complete has left its record in etcd open, and other hosts wait for it: the
 * journals here say how these changes have ended.
 */
export async function mendRecords(
  { etcd }: Session,
  history: readonly JournaledChange[],
  io: Io,
): Promise<void> {
  const undone = rollbacksByUndone(history);
  const changes = new Map(history.map((change) => [change.begin.changeId, change]));
  for (const record of await readChangeRecords(etcd)) {
    const change = changes.get(record.id);
    const mended = change === undefined ? undefined : mend(record, change, undone.get(record.id));
    if (mended === undefined) continue;
    await writeChangeRecord(etcd, mended, []);
    io.err(`the record of ${record.id} in etcd was ${record.state} and is put right\n`);
  }
}

function mend(
  record: ChangeRecord,
  change: JournaledChange,
  undoneBy: string | undefined,
): ChangeRecord | undefined {
  if (!isOpen(record) || !change.hosts.has(record.host)) return undefined;
  const mended = { ...record, written: writtenKeys(change).length };
  if (undoneBy !== undefined) return { ...mended, undoneBy };
  return isUnfinished(change) || isWaiting(change) ? undefined : { ...mended, state: change.state };
}

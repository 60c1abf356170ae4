import { EtcdcidrError } from "../errors.js";
import type { ChangeState, JournaledChange } from "../plan/journaled-change.js";
import { type ChangeRecord, isOpen, type RecordedState } from "../plan/lock-holder.js";
import { rollbacksByUndone } from "../plan/select-change.js";
import { readChangeRecords, writeChangeRecord } from "../run/change-records.js";
import type { GlobalOptions } from "./global-options.js";
import type { Io } from "./io.js";
import { openSession, type Session } from "./session.js";

/**
 * A run that was killed after its journal was complete has left its record in etcd open, and other hosts wait for it: the
 * journals here say how these changes have ended.
 */
export async function mendRecords(
  history: readonly JournaledChange[],
  options: GlobalOptions,
  io: Io,
): Promise<void> {
  if (history.length === 0) return;
  try {
    const session = await openSession(options, io);
    try {
      await mendAll(session, history, io);
    } finally {
      session.close();
    }
  } catch (error) {
    if (!(error instanceof EtcdcidrError)) throw error;
    io.err(`warning: the records in etcd were not compared with the journals: ${error.message}\n`);
  }
}

async function mendAll({ etcd }: Session, history: readonly JournaledChange[], io: Io): Promise<void> {
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

const FINAL_STATES: Readonly<Partial<Record<ChangeState, RecordedState>>> = {
  applied: "done",
  "not verified": "not-verified",
  "not written": "not-written",
  undone: "undone",
};

function mend(
  record: ChangeRecord,
  { hosts, state }: JournaledChange,
  undoneBy: string | undefined,
): ChangeRecord | undefined {
  if (!isOpen(record) || !hosts.has(record.host)) return undefined;
  if (undoneBy !== undefined) return { ...record, undoneBy };
  const final = FINAL_STATES[state];
  return final === undefined ? undefined : { ...record, state: final };
}

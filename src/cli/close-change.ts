import { isDeepStrictEqual } from "node:util";
import { thisHost } from "../adapters/host.js";
import { recordOf } from "../plan/change-record.js";
import { type JournaledChange, writtenKeys } from "../plan/journaled-change.js";
import { isWaiting } from "../plan/select-change.js";
import type { JournalStore } from "../ports.js";
import { recordUndone, writeChangeRecord } from "../run/change-records.js";
import { readHistory } from "../run/history.js";
import type { Lock } from "../run/lock.js";
import { settleChange } from "../run/settle-change.js";
import type { Io } from "./io.js";
import { withLock } from "./run-change.js";
import type { Session } from "./session.js";

export interface Closing {
  readonly session: Session;
  readonly store: JournalStore;
  readonly change: JournaledChange;
}

/** Closes a change that was confirmed and has written nothing, so that nobody goes on with it any more. */
export async function closeUnwritten(closing: Closing, io: Io): Promise<void> {
  const { session, change } = closing;
  await withLock(session, change.begin.changeId, io, (lock) => closeUnderLock(closing, lock));
}

/** The same for who holds the lock already: only then is it sure that no run is writing the journal. */
export async function closeUnderLock(closing: Closing, lock: Lock): Promise<void> {
  const now = await readAgain(closing);
  if (now === undefined || !(isWaiting(now) || now.state === "in-doubt")) return;
  const settled = await settleChange(closing.session, now);
  if (settled.state === "not-written") await close(closing, lock, "not-written");
}

/** Closes a change of which nothing is left to be given back. */
export async function closeUndone(closing: Closing, io: Io): Promise<void> {
  const { session, change } = closing;
  await withLock(session, change.begin.changeId, io, async (lock) => {
    if (!isDeepStrictEqual(await readAgain(closing), change)) return;
    const { changeId } = change.begin;
    await recordUndone(session.etcd, changeId, changeId, lock.preconditions);
    await close(closing, lock, "undone");
  });
}

/** While the lock was waited for, another run may have done something about it. */
async function readAgain({ store, change }: Closing): Promise<JournaledChange | undefined> {
  return (await readHistory(store)).find(({ begin }) => begin.changeId === change.begin.changeId);
}

async function close(
  { session, store, change }: Closing,
  lock: Lock,
  state: "not-written" | "undone",
): Promise<void> {
  const { begin } = change;
  const journal = await store.reopen(begin.changeId);
  journal.append({ type: "end", state, atMs: Date.now() });
  await journal.sync();
  await journal.close();
  const { name, user } = thisHost();
  const how = { state, nodes: change.keys.size, written: writtenKeys(change).length };
  const record = recordOf(begin, { host: name, user, journal: journal.directory, ...how });
  await writeChangeRecord(session.etcd, record, lock.preconditions);
}

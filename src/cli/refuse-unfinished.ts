import { SYSTEM_CLOCK } from "../adapters/clock.js";
import { thisHost } from "../adapters/host.js";
import { EtcdcidrError, NOTHING_BY_THIS_RUN } from "../errors.js";
import { isOpen } from "../plan/change-record.js";
import { type JournaledChange, writtenKeys } from "../plan/journaled-change.js";
import { changesElsewhere, currentChanges, newerRecords } from "../plan/newer-records.js";
import { isOfCluster, rollbacksOf, unfinishedChanges } from "../plan/select-change.js";
import { findCluster } from "../run/find-cluster.js";
import { underWay, waitForHolder } from "../run/lock.js";
import { readOwnKeys } from "../run/own-keys.js";
import { settleChange } from "../run/settle-change.js";
import type { Io } from "./io.js";
import { halfDoneElsewhere, isOfAnotherRun, journalElsewhere } from "./refuse-elsewhere.js";
import type { Session } from "./session.js";

/** Waits for a run that is under way on any host; returns whether there was one. On kine there is no lock to tell. */
export async function waitForOtherRun({ etcd }: Session, io: Io): Promise<boolean> {
  const say = (text: string) => io.err(`${text}\n`);
  return waitForHolder({ etcd, clock: SYSTEM_CLOCK, host: thisHost(), say });
}

/**
 * No change begins, and none is gone on with, while another one of this cluster is half done, here or on another host. What
 * another run is still at is not half done: that run is named. What is in doubt is settled by reading; changes that turn out to
 * have written nothing do not count and are returned. `concerning` are the changes that this run is about.
 */
export async function refuseUnfinished(
  session: Session,
  history: readonly JournaledChange[],
  concerning: readonly string[],
): Promise<readonly JournaledChange[]> {
  const { cluster } = await findCluster(session);
  const { records, lock } = await readOwnKeys(session, thisHost());
  const other = lock !== undefined && isOfAnotherRun(lock) ? lock : undefined;
  const own = unfinishedChanges(
    currentChanges(
      history.filter((change) => isOfCluster(change, cluster)),
      records,
    ),
  );
  // The newest first: while the rollback of a change is half done, that is what has to be gone on with.
  const others = own.filter(({ begin }) => !concerning.includes(begin.changeId));
  for (const change of others.toReversed()) {
    const settled = await settleChange(session, change);
    if (settled.state !== "not-written")
      throw other === undefined ? halfDone(settled) : underWay(other.holder, thisHost());
  }
  // What the journals here tell as complete is complete, whatever a run that was killed then has left in etcd.
  const open = changesElsewhere(history, records).filter(isOpen);
  const record = open.find(({ id }) => !concerning.includes(id));
  if (record !== undefined)
    throw other === undefined ? halfDoneElsewhere(record) : underWay(other.holder, thisHost());
  return others;
}

/** The change itself, and the one that it undoes: going back from a rollback leads to that again. */
export function concernsOf({ begin }: JournaledChange): readonly string[] {
  const { intent } = begin.plan;
  return intent.operation === "rollback" ? [begin.changeId, intent.changeId] : [begin.changeId];
}

/** What a rollback of the change is about: its own earlier rollbacks, too, which it finishes. */
export function concernsOfRollback(
  change: JournaledChange,
  history: readonly JournaledChange[],
): readonly string[] {
  const earlier = rollbacksOf(history, change.begin.changeId);
  return [...concernsOf(change), ...earlier.map(({ begin }) => begin.changeId)];
}

/** Throws `blocked` where another host has gone on with a change that its journal here has half done, or has undone it. */
export async function refuseOutOfDate(
  session: Session,
  directory: string,
  history: readonly JournaledChange[],
  change: JournaledChange,
): Promise<void> {
  const { records } = await readOwnKeys(session, thisHost());
  const record = newerRecords(history, records).get(change.begin.changeId);
  if (record !== undefined)
    throw journalElsewhere({ record, command: "rollback", directory, isJournalHere: true });
}

function halfDone(change: JournaledChange): EtcdcidrError {
  const { changeId } = change.begin;
  return new EtcdcidrError("blocked", {
    what: "another change is half done",
    why: `${changeId} has written ${writtenKeys(change).length} of its ${change.keys.size} Nodes`,
    now: NOTHING_BY_THIS_RUN,
    next: `\`etcdcidr resume ${changeId}\` goes on with it, \`etcdcidr rollback ${changeId}\` undoes it`,
  });
}

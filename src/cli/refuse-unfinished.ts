import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import type { JournaledChange } from "../plan/journaled-change.js";
import { type ChangeRecord, isOpen, isOutOfDate } from "../plan/lock-holder.js";
import { isOfCluster, isUnfinished, rollbacksOf, unfinishedChanges } from "../plan/select-change.js";
import { readChangeRecord, readChangeRecords } from "../run/change-records.js";
import { findCluster } from "../run/find-cluster.js";
import { settleChange } from "../run/settle-change.js";
import type { Session } from "./session.js";

/**
 * No change begins, and none is gone on with, while another one of this cluster is half done, here or on another host. What is
 * in doubt is settled by reading; changes that turn out to have written nothing do not count and are returned. `concerning` are
 * the changes that this run is about.
 */
export async function refuseUnfinished(
  session: Session,
  history: readonly JournaledChange[],
  concerning: readonly string[],
): Promise<readonly JournaledChange[]> {
  const { cluster } = await findCluster(session);
  const records = await readChangeRecords(session.etcd);
  const recordOf = new Map(records.map((record) => [record.id, record]));
  const own = unfinishedChanges(history.filter((change) => isOfCluster(change, cluster))).filter(
    (change) => !isOutOfDate(change, recordOf.get(change.begin.changeId)),
  );
  // The newest first: while the rollback of a change is half done, that is what has to be gone on with.
  const others = own.filter(({ begin }) => !concerning.includes(begin.changeId));
  for (const change of others.toReversed()) {
    const settled = await settleChange(session, change);
    if (settled.state !== "not written") throw halfDone(settled);
  }
  // What the journals here tell as complete is complete, whatever a run that was killed then has left in etcd.
  const known = new Map(history.map((change) => [change.begin.changeId, change]));
  for (const record of records) {
    const change = known.get(record.id);
    const isElsewhere = change === undefined || (isUnfinished(change) && isOutOfDate(change, record));
    if (isElsewhere && isOpen(record) && !concerning.includes(record.id)) throw halfDoneElsewhere(record);
  }
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

/** Throws `blocked` where another host has gone on with a change that its journal here has half done. */
export async function refuseOutOfDate({ etcd }: Session, change: JournaledChange): Promise<void> {
  const { changeId } = change.begin;
  const record = isUnfinished(change) ? await readChangeRecord(etcd, changeId) : undefined;
  if (record === undefined || !isOutOfDate(change, record)) return;
  const { host, user, journal, state } = record;
  throw new EtcdcidrError("blocked", {
    what: `the journal of ${changeId} here is out of date`,
    why: `the change was gone on with after the journal had been carried over: it is ${state}, and its journal lies in ${journal} of ${user}@${host}`,
    now: NOTHING_WRITTEN,
    next: "go on there; or move the journal's directory here away and bring the newer one with `changes export` and `changes import`",
  });
}

function halfDone({ begin, keys }: JournaledChange): EtcdcidrError {
  const { changeId } = begin;
  const written = [...keys.values()].filter(({ committedAt }) => committedAt !== undefined).length;
  return new EtcdcidrError("blocked", {
    what: "another change is half done",
    why: `${changeId} has written ${written} of its ${keys.size} Nodes`,
    now: NOTHING_WRITTEN,
    next: `\`etcdcidr resume ${changeId}\` goes on with it, \`etcdcidr rollback ${changeId}\` undoes it`,
  });
}

function halfDoneElsewhere({ id, host, user, journal, state }: ChangeRecord): EtcdcidrError {
  return new EtcdcidrError("blocked", {
    what: "a change of another host is not finished",
    why: `${id} of ${user}@${host} is ${state}; its journal lies in ${journal} there`,
    now: NOTHING_WRITTEN,
    next: `run \`etcdcidr resume ${id}\` on ${host}, or carry its journal over with \`changes export\` and \`changes import\``,
  });
}

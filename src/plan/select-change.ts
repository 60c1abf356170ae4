import { EtcdcidrError } from "../errors.js";
import { type ChangeRecord, stands } from "./change-record.js";
import type { JournaledChange } from "./journaled-change.js";
import type { ClusterIdentity } from "./plan.js";
import { isSameCluster } from "./same-cluster.js";

/** The changes that stand: written, and not undone by a later rollback that itself stands. */
export function standingChanges(history: readonly JournaledChange[]): readonly JournaledChange[] {
  const undone = rollbacksByUndone(history);
  return history.filter(
    ({ begin, state }) => state !== "not-written" && state !== "undone" && !undone.has(begin.changeId),
  );
}

/**
 * The changes that are undone, with the complete and standing rollback that did it. What an earlier rollback of the same change
 * had left half done, it has finished; so has a rollback that found nothing left to be given back.
 */
export function rollbacksByUndone(history: readonly JournaledChange[]): ReadonlyMap<string, string> {
  const undone = new Map<string, string>();
  const finish = (changeId: string, undoneBy: string) => {
    for (const earlier of rollbacksOf(history, changeId))
      if (isUnfinished(earlier)) undone.set(earlier.begin.changeId, undoneBy);
  };
  for (const { begin, state } of history) if (state === "undone") finish(begin.changeId, begin.changeId);
  for (const change of [...history].reverse()) {
    const { changeId, plan } = change.begin;
    if (plan.intent.operation !== "rollback" || !isComplete(change) || undone.has(changeId)) continue;
    undone.set(plan.intent.changeId, changeId);
    finish(plan.intent.changeId, changeId);
  }
  return undone;
}

/** The rollbacks of a change, complete or not. */
export function rollbacksOf(
  history: readonly JournaledChange[],
  changeId: string,
): readonly JournaledChange[] {
  return history.filter(({ begin }) => {
    const { intent } = begin.plan;
    return intent.operation === "rollback" && intent.changeId === changeId;
  });
}

function isComplete({ state }: JournaledChange): boolean {
  return state === "done" || state === "not-verified";
}

/**
 * The change to roll back: the one named, else the newest that stands and is no rollback. Undefined: there is none.
 * `newer` are the records that tell more than their journals. Throws `not-found` for an unknown or already undone id, `blocked`
 * when a later change over the same keys stands that is not its own rollback, half done.
 */
export function selectChange(
  history: readonly JournaledChange[],
  id: string | undefined,
  newer: ReadonlyMap<string, ChangeRecord> = new Map(),
): JournaledChange | undefined {
  const standing = standingChanges(history).filter(({ begin }) => {
    const record = newer.get(begin.changeId);
    return record === undefined || stands(record);
  });
  const selected =
    id === undefined
      ? standing.findLast(({ begin }) => begin.plan.intent.operation === "change-pod-cidr")
      : standing.find(({ begin }) => begin.changeId === id);
  if (selected === undefined) {
    if (id === undefined) return undefined;
    throw notFound(history, id);
  }
  const own = rollbacksOf(history, selected.begin.changeId);
  const since = history.slice(history.indexOf(selected) + 1);
  const later = since
    .filter((change) => standing.includes(change) && !own.includes(change) && !undoesOneOf(since, change))
    .findLast((change) => sharesKeys(change, selected));
  if (later !== undefined) throw laterFirst(selected, later, newer.get(later.begin.changeId));
  return selected;
}

/** A later change and the rollback that undid it leave things as they were. */
function undoesOneOf(changes: readonly JournaledChange[], change: JournaledChange): boolean {
  const { intent } = change.begin.plan;
  if (intent.operation !== "rollback" || !isComplete(change)) return false;
  return changes.some(({ begin }) => begin.changeId === intent.changeId);
}

/**
 * Whether both wrote the same fields: keys may be called alike in another cluster, one may never have been sent, and bytes that
 * were put back whole are no edit of a field.
 */
function sharesKeys(change: JournaledChange, other: JournaledChange): boolean {
  return (
    isOfCluster(change, other.begin.plan.cluster) &&
    [...change.keys.values()].some(
      ({ key, sent, edits }) =>
        sent !== undefined && edits.length > 0 && other.keys.get(key)?.sent !== undefined,
    )
  );
}

/** A journal directory may hold changes of several clusters. */
export function isOfCluster({ begin }: JournaledChange, cluster: ClusterIdentity): boolean {
  return isSameCluster(begin.plan.cluster, cluster);
}

function notFound(history: readonly JournaledChange[], id: string): EtcdcidrError {
  const known = history.some(({ begin }) => begin.changeId === id);
  return new EtcdcidrError("not-found", {
    what: `cannot roll back ${id}`,
    why: known ? "it wrote nothing, or is undone already" : "there is no journal of that name",
    now: "nothing was written",
    next: "`etcdcidr changes` lists what can be rolled back",
  });
}

function laterFirst(
  selected: JournaledChange,
  later: JournaledChange,
  newer: ChangeRecord | undefined,
): EtcdcidrError {
  return new EtcdcidrError("blocked", {
    what: `cannot roll back ${selected.begin.changeId}`,
    why: `${later.begin.changeId} changed the same Nodes later and stands`,
    now: "nothing was written",
    next: newer === undefined ? undoFirst(later) : undoElsewhere(newer),
  });
}

function undoFirst(later: JournaledChange): string {
  const { changeId } = later.begin;
  return isUnfinished(later)
    ? `it is half done: \`etcdcidr resume ${changeId}\` goes on with it, \`etcdcidr rollback ${changeId}\` undoes it`
    : `run \`etcdcidr rollback ${changeId}\` first`;
}

function undoElsewhere({ id, host, state, journal }: ChangeRecord): string {
  return `it was gone on with on ${host} and is ${state}: run \`etcdcidr rollback ${id}\` there first (its journal is ${journal})`;
}

/** Whether a change may have left part of its Nodes written. */
export function isUnfinished({ state }: JournaledChange): boolean {
  return state === "part-applied" || state === "in-doubt";
}

/** The changes that stand half done: no other change may begin before they are gone on with or undone. */
export function unfinishedChanges(history: readonly JournaledChange[]): readonly JournaledChange[] {
  return standingChanges(history).filter(isUnfinished);
}

/** Whether a change was confirmed, was killed before it wrote anything, and is not closed. */
export function isWaiting({ state, end }: JournaledChange): boolean {
  return state === "not-written" && end === undefined;
}

/** Whether a change that has written nothing was given up: another one has been made since. */
function isSuperseded(change: JournaledChange, history: readonly JournaledChange[]): boolean {
  if (!isWaiting(change)) return false;
  const { cluster } = change.begin.plan;
  const since = history.slice(history.indexOf(change) + 1);
  return since.some((later) => later.state !== "not-written" && isOfCluster(later, cluster));
}

/**
 * The change to go on with: the one named, else the newest that is half done, else the newest that waits and was not given up. Undefined: there is
 * none, or the one named is complete. Throws `not-found` for an unknown id.
 */
export function selectUnfinished(
  history: readonly JournaledChange[],
  id: string | undefined,
): JournaledChange | undefined {
  const unfinished = [...history.filter(isWaiting), ...unfinishedChanges(history)];
  if (id === undefined) return unfinished.findLast((change) => !isSuperseded(change, history));
  if (history.some(({ begin }) => begin.changeId === id))
    return unfinished.find(({ begin }) => begin.changeId === id);
  throw new EtcdcidrError("not-found", {
    what: `cannot go on with ${id}`,
    why: "there is no journal of that name",
    now: "nothing was written",
    next: "`etcdcidr changes` lists the changes and their states",
  });
}

import { EtcdcidrError } from "../errors.js";
import type { JournaledChange } from "./journaled-change.js";

/** The changes that stand: written, and not undone by a later rollback that itself stands. */
export function standingChanges(history: readonly JournaledChange[]): readonly JournaledChange[] {
  const undone = new Set<string>();
  const standing: JournaledChange[] = [];
  for (const change of [...history].reverse()) {
    const { changeId, plan } = change.begin;
    if (change.state === "not written" || undone.has(changeId)) continue;
    if (plan.intent.operation === "rollback" && isComplete(change)) undone.add(plan.intent.changeId);
    standing.unshift(change);
  }
  return standing;
}

function isComplete({ state }: JournaledChange): boolean {
  return state === "applied" || state === "not verified";
}

/**
 * The change to roll back: the one named, else the newest that stands and is no rollback. Undefined: there is none.
 * Throws `not-found` for an unknown or already undone id, `blocked` when a later change over the same keys stands.
 */
export function selectChange(
  history: readonly JournaledChange[],
  id: string | undefined,
): JournaledChange | undefined {
  const standing = standingChanges(history);
  const selected =
    id === undefined
      ? standing.findLast(({ begin }) => begin.plan.intent.operation !== "rollback")
      : standing.find(({ begin }) => begin.changeId === id);
  if (selected === undefined) {
    if (id === undefined) return undefined;
    throw notFound(history, id);
  }
  const later = standing
    .slice(standing.indexOf(selected) + 1)
    .findLast((change) => sharesKeys(change, selected));
  if (later !== undefined) throw laterFirst(selected, later);
  return selected;
}

function sharesKeys(change: JournaledChange, other: JournaledChange): boolean {
  return [...change.keys.values()].some(({ key, sent }) => sent !== undefined && other.keys.has(key));
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

function laterFirst(selected: JournaledChange, later: JournaledChange): EtcdcidrError {
  return new EtcdcidrError("blocked", {
    what: `cannot roll back ${selected.begin.changeId}`,
    why: `${later.begin.changeId} changed the same Nodes later and stands`,
    now: "nothing was written",
    next: isUnfinished(later)
      ? `it is half done: run \`etcdcidr resume ${later.begin.changeId}\``
      : `run \`etcdcidr rollback ${later.begin.changeId}\` first`,
  });
}

/** Whether a change may have left part of its Nodes written. */
function isUnfinished({ state }: JournaledChange): boolean {
  return state === "part applied" || state === "in doubt";
}

/** The changes that stand half done: no other change may begin before they are gone on with or undone. */
export function unfinishedChanges(history: readonly JournaledChange[]): readonly JournaledChange[] {
  return standingChanges(history).filter(isUnfinished);
}

/**
 * The change to go on with: the one named, else the newest that is half done, else the newest that was confirmed, wrote nothing and
 * was not closed. Undefined: there is none. Throws `not-found` for a named change that is unknown or complete.
 */
export function selectUnfinished(
  history: readonly JournaledChange[],
  id: string | undefined,
): JournaledChange | undefined {
  const waiting = history.filter(({ state, end }) => state === "not written" && end === undefined);
  if (id === undefined) return unfinishedChanges(history).at(-1) ?? waiting.at(-1);
  const selected = [...unfinishedChanges(history), ...waiting].find(({ begin }) => begin.changeId === id);
  if (selected !== undefined) return selected;
  const known = history.some(({ begin }) => begin.changeId === id);
  throw new EtcdcidrError("not-found", {
    what: `cannot go on with ${id}`,
    why: known
      ? "it is complete, undone, or closed without having written anything"
      : "there is no journal of that name",
    now: "nothing was written",
    next: "`etcdcidr changes` lists the changes and their states",
  });
}

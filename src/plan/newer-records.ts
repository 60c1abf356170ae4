import { type ChangeRecord, isOutOfDate } from "./change-record.js";
import type { JournaledChange } from "./journaled-change.js";
import { isUnfinished, isWaiting } from "./select-change.js";

/**
 * The records that tell more of a change than its journal here, by its id: another host has gone on with it since the journal
 * was carried over, or has undone it.
 */
export function newerRecords(
  history: readonly JournaledChange[],
  records: readonly ChangeRecord[],
): ReadonlyMap<string, ChangeRecord> {
  const known = new Map(history.map((change) => [change.begin.changeId, change]));
  const isNewer = (record: ChangeRecord): boolean => {
    const change = known.get(record.id);
    if (change === undefined) return false;
    if (isUnfinished(change)) return isOutOfDate(change, record);
    // A journal that ends before anything was sent may have been cut short: what is recorded as written counts.
    if (isWaiting(change)) return record.state !== "not-written" && isOutOfDate(change, record);
    return record.undoneBy !== undefined && !known.has(record.undoneBy);
  };
  return new Map(records.filter(isNewer).map((record) => [record.id, record]));
}

/** The changes that no journal here tells: there is none, or it has half done what another host has gone on with. */
export function changesElsewhere(
  history: readonly JournaledChange[],
  records: readonly ChangeRecord[],
): readonly ChangeRecord[] {
  const told = new Set(currentChanges(history, records).map(({ begin }) => begin.changeId));
  return records.filter(({ id }) => !told.has(id));
}

/** Without those whose journal here has half done what another host has gone on with. */
export function currentChanges(
  history: readonly JournaledChange[],
  records: readonly ChangeRecord[],
): readonly JournaledChange[] {
  const newer = newerRecords(history, records);
  const isBehind = (change: JournaledChange) =>
    (isUnfinished(change) || isWaiting(change)) && newer.has(change.begin.changeId);
  return history.filter((change) => !isBehind(change));
}

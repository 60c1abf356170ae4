import type { EtcdcidrError } from "../errors.js";
import { type ChangeRecord, describeChange, type RecordedState, shownState } from "../plan/change-record.js";
import { doubtfulKeys, type JournaledChange, writtenKeys } from "../plan/journaled-change.js";
import { changesElsewhere, currentChanges, newerRecords } from "../plan/newer-records.js";
import type { ClusterIdentity } from "../plan/plan.js";
import { isOfCluster, isUnfinished, isWaiting, standingChanges } from "../plan/select-change.js";
import type { OwnKeys } from "../run/own-keys.js";

/** One change, as `changes` lists it. */
export interface ChangeRow {
  readonly id: string;
  /** RFC 3339, UTC; absent for a damaged journal of which nothing else is known. */
  readonly at?: string;
  readonly operation?: string;
  readonly what?: string;
  /** `not-begun`: confirmed, ended before anything was written, and not closed. */
  readonly state: RecordedState | "not-begun" | "damaged";
  /** How many Nodes are known to be written. */
  readonly nodes?: number;
  /** Of how many besides it is not known whether they are. */
  readonly nodesInDoubt?: number;
  /** How many Nodes the change is about. */
  readonly nodesInAll?: number;
  readonly host?: string;
  readonly user?: string;
  /** Where the journal lies on that host. */
  readonly journal: string;
  /** Whether that is this host; of one that is out of date there is none here. */
  readonly here: boolean;
  /** Whether there is a journal here which another host has gone on with since. */
  readonly outOfDateHere?: true;
  readonly cluster?: ClusterIdentity;
  /** Absent where no etcd could be asked. */
  readonly ofThisCluster?: boolean;
  /** What is wrong with a damaged journal. */
  readonly fault?: string;
}

export interface DamagedJournal {
  readonly id: string;
  readonly error: EtcdcidrError;
}

/** What `changes` knows: the journals here and, where an etcd could be asked, what it holds. */
export interface KnownChanges {
  readonly directory: string;
  readonly history: readonly JournaledChange[];
  readonly damaged: readonly DamagedJournal[];
  readonly inEtcd?: { readonly cluster: ClusterIdentity; readonly ownKeys: OwnKeys };
}

/** A row for each change, oldest first. */
export function changeRows(known: KnownChanges): readonly ChangeRow[] {
  const { history, damaged, inEtcd } = known;
  const records = inEtcd?.ownKeys.records ?? [];
  const damagedIds = new Set(damaged.map(({ id }) => id));
  const stale = new Set(history.filter(isUnfinished).map(({ begin }) => begin.changeId));
  const own = currentChanges(history, records).map((change) => ({
    atMs: change.begin.atMs,
    row: ownRow(change, known),
  }));
  const others = changesElsewhere(history, records)
    .filter(({ id }) => !damagedIds.has(id))
    .map((record) => ({ atMs: record.atMs, row: recordRow(record, stale.has(record.id)) }));
  const broken = damaged.map((journal) => {
    const record = records.find(({ id }) => id === journal.id);
    return { atMs: record?.atMs ?? timeIn(journal.id), row: damagedRow(journal, record, known) };
  });
  return [...own, ...others, ...broken].sort((left, right) => left.atMs - right.atMs).map(({ row }) => row);
}

function ownRow(change: JournaledChange, known: KnownChanges): ChangeRow {
  const { begin, keys } = change;
  const { changeId, atMs, host, user, plan } = begin;
  const inDoubt = change.state === "in-doubt" ? doubtfulKeys(change).length : 0;
  return {
    id: changeId,
    at: timeText(atMs),
    operation: plan.intent.operation,
    what: describeChange(plan),
    state: ownState(change, known),
    nodes: writtenKeys(change).length,
    ...(inDoubt === 0 ? {} : { nodesInDoubt: inDoubt }),
    nodesInAll: keys.size,
    host,
    user,
    journal: `${known.directory}/${changeId}`,
    here: true,
    cluster: plan.cluster,
    ...(known.inEtcd === undefined ? {} : { ofThisCluster: isOfCluster(change, known.inEtcd.cluster) }),
  };
}

function ownState(change: JournaledChange, { history, inEtcd }: KnownChanges): ChangeRow["state"] {
  const { changeId } = change.begin;
  if (inEtcd?.ownKeys.lock?.holder?.changeId === changeId) return "running";
  if (isWaiting(change)) return "not-begun";
  if (change.state === "not-written") return change.state;
  const newer = newerRecords(history, inEtcd?.ownKeys.records ?? []).get(changeId);
  const isUndone = !standingChanges(history).includes(change) || newer?.undoneBy !== undefined;
  return isUndone ? "undone" : change.state;
}

function recordRow(record: ChangeRecord, isStaleHere: boolean): ChangeRow {
  const { id, operation, of, host, user, journal, atMs, nodes, written } = record;
  const what = record.what ?? (of === undefined ? undefined : `of ${of}`);
  const state = shownState(record);
  const isOpenEnded = state === "running" || state === "in-doubt";
  return {
    id,
    at: timeText(atMs),
    operation,
    ...(what === undefined ? {} : { what }),
    state,
    ...(nodes === undefined || written === undefined ? {} : { nodes: written, nodesInAll: nodes }),
    ...(isOpenEnded && nodes !== undefined && written !== undefined ? { nodesInDoubt: nodes - written } : {}),
    host,
    user,
    journal,
    here: false,
    ...(isStaleHere ? { outOfDateHere: true } : {}),
    ofThisCluster: true,
  };
}

function damagedRow(
  { id, error }: DamagedJournal,
  record: ChangeRecord | undefined,
  { directory }: KnownChanges,
): ChangeRow {
  const told = record === undefined ? { id } : recordRow(record, false);
  const fault = error.explanation.why;
  return { ...told, state: "damaged", journal: `${directory}/${id}`, here: true, fault };
}

/** The id of a change begins with its time. */
function timeIn(id: string): number {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-/.exec(id) ?? [];
  const [year = 1970, month = 1, ...rest] = parts.map(Number);
  return Date.UTC(year, month - 1, ...rest);
}

function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}

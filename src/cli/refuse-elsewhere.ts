import { dirname } from "node:path";
import { thisHost } from "../adapters/host.js";
import { EtcdcidrError, NOTHING_BY_THIS_RUN } from "../errors.js";
import { type ChangeRecord, isOpen, shownState, stands } from "../plan/change-record.js";
import type { JournaledChange } from "../plan/journaled-change.js";
import { changesElsewhere } from "../plan/newer-records.js";
import { underWay } from "../run/lock.js";
import type { HeldLock, OwnKeys } from "../run/own-keys.js";

/** Whether the lock is another run's: it has to be waited for, whatever a journal looks like meanwhile. */
export function isOfAnotherRun({ holder }: HeldLock): boolean {
  const { name, bootId, pid } = thisHost();
  return holder?.host !== name || holder.bootId !== bootId || holder.pid !== pid;
}

export interface Meant {
  readonly command: Elsewhere["command"];
  readonly history: readonly JournaledChange[];
  readonly ownKeys: OwnKeys;
  /** Where journals were looked for. */
  readonly directory: string;
  /** Which of the changes is meant; of several the newest. */
  readonly isMeant: (record: ChangeRecord) => boolean;
}

/** Throws `blocked` where the change that is meant is known by its record in etcd alone. */
export function refuseElsewhere({ command, history, ownKeys, directory, isMeant }: Meant): void {
  const { records, lock } = ownKeys;
  const record = changesElsewhere(history, records).findLast(isMeant);
  if (record === undefined) return;
  if (lock?.holder?.changeId === record.id) throw underWay(lock.holder, thisHost());
  const isJournalHere = history.some(({ begin }) => begin.changeId === record.id);
  throw journalElsewhere({ record, command, directory, isJournalHere });
}

export interface Elsewhere {
  readonly record: ChangeRecord;
  /** What was to be done with it. */
  readonly command: "resume" | "rollback";
  /** Where journals were looked for. */
  readonly directory: string;
  /** Whether there is a journal of it here, which is out of date. */
  readonly isJournalHere: boolean;
}

/** A change cannot be gone on with, or undone, where its journal is not. */
export function journalElsewhere(elsewhere: Elsewhere): EtcdcidrError {
  const { record, command, directory, isJournalHere } = elsewhere;
  const { id, host, user, journal } = record;
  // What another host has undone is no fault of the journal here.
  if (record.undoneBy === undefined && host === thisHost().name && dirname(journal) === directory)
    return journalCutShort(elsewhere);
  const isLeft = command === "resume" ? isOpen(record) : stands(record);
  return new EtcdcidrError("blocked", {
    what: isJournalHere ? `the journal of ${id} here is out of date` : `the journal of ${id} is not here`,
    why: `the change is ${shownState(record)}, and its journal lies in ${journal} of ${user}@${host}`,
    now: NOTHING_BY_THIS_RUN,
    next: isLeft
      ? [...waysTo(record, command), ...lastResort(record)].join("; or, ")
      : `there is nothing left to ${command}; \`etcdcidr changes\` lists all changes`,
  });
}

/** etcd knows more of a change than the very journal that was written for it. */
function journalCutShort({ record, isJournalHere }: Elsewhere): EtcdcidrError {
  const { id, journal, nodes, written } = record;
  const howFar = nodes === undefined || written === undefined ? "" : `, ${written} of ${nodes} Nodes written`;
  return new EtcdcidrError("journal-damaged", {
    what: isJournalHere ? `the journal of ${id} is cut short` : `the journal of ${id} is gone`,
    why: `etcd records the change as ${shownState(record)}${howFar}, and ${journal} ${isJournalHere ? "does not tell so" : "holds no journal"}`,
    now: NOTHING_BY_THIS_RUN,
    next: [
      `move ${journal} away, and bring the journal back from a copy with \`etcdcidr changes import FILE\``,
      ...(isOpen(record)
        ? lastResort(record)
        : [
            "without one, plan the way back as a change of its own: `etcdcidr change-pod-cidr` with the old range",
          ]),
    ].join("; or, "),
  });
}

/** Throws `blocked` where a later change, of which there is no journal here, stands. */
export function refuseLaterElsewhere(change: JournaledChange, meant: Omit<Meant, "isMeant">): void {
  const { history, ownKeys, command, directory } = meant;
  const { atMs, changeId } = change.begin;
  const later = changesElsewhere(history, ownKeys.records).findLast(
    (record) =>
      record.operation === "change-pod-cidr" &&
      stands(record) &&
      record.id !== changeId &&
      record.atMs > atMs,
  );
  if (later === undefined) return;
  const { explanation } = journalElsewhere({ record: later, command, directory, isJournalHere: false });
  throw new EtcdcidrError("blocked", {
    what: `cannot roll back ${changeId}`,
    why: `${later.id} of ${later.user}@${later.host} was made later and stands`,
    now: NOTHING_BY_THIS_RUN,
    next: `roll that back first: ${explanation.next}`,
  });
}

/** The ways on where another host's change is half done. */
export function halfDoneElsewhere(record: ChangeRecord): EtcdcidrError {
  const { id, host, user, journal, state } = record;
  return new EtcdcidrError("blocked", {
    what: "a change of another host is not finished",
    why: `${id} of ${user}@${host} is ${state}; its journal lies in ${journal} there`,
    now: NOTHING_BY_THIS_RUN,
    next: [...waysTo(record, "resume"), ...lastResort(record)].join("; or, "),
  });
}

function waysTo({ id, host, user, journal }: ChangeRecord, command: Elsewhere["command"]): string[] {
  if (host === thisHost().name)
    return [`run \`etcdcidr ${command} ${id} --journal-dir ${dirname(journal)}\` as ${user}`];
  return [
    `run \`etcdcidr ${command} ${id}\` on ${host}`,
    `to do it here, \`etcdcidr changes export ${id} FILE\` there and \`etcdcidr changes import FILE\` here`,
  ];
}

/** Without its journal nobody knows what the Nodes had before. */
function lastResort(record: ChangeRecord): string[] {
  if (!isOpen(record)) return [];
  return [
    "if that journal is lost for good, `etcdcidr uninstall-records --accept unfinished-change` and plan anew from what the Nodes have",
  ];
}

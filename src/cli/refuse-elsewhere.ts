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
  /** Which of the changes is meant; of several the newest. */
  readonly isMeant: (record: ChangeRecord) => boolean;
}

/** Throws `blocked` where the change that is meant is known by its record in etcd alone. */
export function refuseElsewhere({ command, history, ownKeys, isMeant }: Meant): void {
  const { records, lock } = ownKeys;
  const record = changesElsewhere(history, records).findLast(isMeant);
  if (record === undefined) return;
  if (lock?.holder?.changeId === record.id) throw underWay(lock.holder, thisHost());
  const isJournalHere = history.some(({ begin }) => begin.changeId === record.id);
  throw journalElsewhere({ record, command, isJournalHere });
}

export interface Elsewhere {
  readonly record: ChangeRecord;
  /** What was to be done with it. */
  readonly command: "resume" | "rollback";
  /** Whether there is a journal of it here, which is out of date. */
  readonly isJournalHere: boolean;
}

/** A change cannot be gone on with, or undone, where its journal is not. */
export function journalElsewhere({ record, command, isJournalHere }: Elsewhere): EtcdcidrError {
  const { id, host, user, journal } = record;
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

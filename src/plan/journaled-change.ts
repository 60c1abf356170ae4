import { EtcdcidrError } from "../errors.js";
import type { FieldEdit } from "../schema/field-edit.js";
import type { BeginRecord, DroppedRecord, EndRecord, JournalRecord, SentKey } from "./journal-record.js";

/** One key of a change, as its journal tells it. */
export interface JournaledKey {
  readonly key: string;
  readonly uid: string;
  readonly modRevision: bigint;
  readonly sha256: string;
  readonly edits: readonly FieldEdit[];
  /** What was sent last; absent: the key was never written. */
  readonly sent?: SentKey;
  readonly committedAt?: bigint;
  readonly dropped?: DroppedRecord["reason"];
}

export type ChangeState = "not written" | "part applied" | "in doubt" | "applied" | "not verified";

/** A change as its journal tells it, without the originals' bytes. */
export interface JournaledChange {
  readonly begin: BeginRecord;
  readonly keys: ReadonlyMap<string, JournaledKey>;
  readonly state: ChangeState;
  readonly end?: EndRecord;
}

/** Folds a journal's records, in their order. Throws `journal-damaged` when the first is not a `begin`. */
export function foldJournal(records: Iterable<JournalRecord>): JournaledChange {
  const fold = createJournalFold();
  for (const record of records) fold.add(record);
  return fold.result();
}

export interface JournalFold {
  add(record: JournalRecord): void;
  result(): JournaledChange;
}

/** The same, record by record, for journals that are streamed. */
export function createJournalFold(): JournalFold {
  const keys = new Map<string, JournaledKey>();
  let begin: BeginRecord | undefined;
  let end: EndRecord | undefined;
  return {
    add(record) {
      if (record.type === "begin") begin = record;
      else if (record.type === "end") end = record;
      else addToKeys(keys, record);
    },
    result() {
      if (begin === undefined) throw noBegin();
      return { begin, keys, state: stateOf([...keys.values()], end), ...(end === undefined ? {} : { end }) };
    },
  };
}

function addToKeys(keys: Map<string, JournaledKey>, record: JournalRecord): void {
  const update = (key: string, more: Partial<JournaledKey>) => {
    const known = keys.get(key);
    if (known !== undefined) keys.set(key, { ...known, ...more });
  };
  if (record.type === "original") {
    const { key, uid, modRevision, sha256, edits } = record;
    keys.set(key, { key, uid, modRevision, sha256, edits });
  } else if (record.type === "intent") {
    for (const sent of record.keys) update(sent.key, { sent });
  } else if (record.type === "committed") {
    for (const key of record.keys) update(key, { committedAt: record.revision });
  } else if (record.type === "dropped") {
    update(record.key, { dropped: record.reason });
  }
}

function stateOf(keys: readonly JournaledKey[], end: EndRecord | undefined): ChangeState {
  const settled = keys.filter(
    ({ committedAt, dropped }) => committedAt !== undefined || dropped !== undefined,
  );
  if (settled.length === keys.length && keys.length > 0)
    return end?.state === "not-verified" ? "not verified" : "applied";
  const doubtful = keys.some(
    ({ sent, committedAt, dropped }) =>
      sent !== undefined && committedAt === undefined && dropped === undefined,
  );
  // A run that ended by itself has settled what it sent; only a killed one, or one that says so, leaves doubt.
  if (doubtful && (end === undefined || end.state === "in-doubt")) return "in doubt";
  return keys.some(({ committedAt }) => committedAt !== undefined) ? "part applied" : "not written";
}

function noBegin(): EtcdcidrError {
  return new EtcdcidrError("journal-damaged", {
    what: "cannot read this journal",
    why: "it has no first record; the run that made it ended before it was written",
    now: "that run wrote nothing to etcd",
    next: "remove its directory",
  });
}

import { EtcdcidrError } from "../errors.js";
import type { FieldEdit } from "../schema/field-edit.js";
import type { ChangeState } from "./change-state.js";
import type { BeginRecord, DroppedRecord, EndRecord, JournalRecord, SentKey } from "./journal-record.js";
import type { Change, NodeOutline, Plan } from "./plan.js";

/** One key of a change, as its journal tells it. */
export interface JournaledKey {
  readonly key: string;
  readonly outline: NodeOutline;
  readonly modRevision: bigint;
  readonly sha256: string;
  readonly edits: readonly FieldEdit[];
  /** What was sent last; absent: the key was never written. */
  readonly sent?: SentKey;
  readonly committedAt?: bigint;
  readonly dropped?: DroppedRecord["reason"];
}

/** A change as its journal tells it, without the originals' bytes. */
export interface JournaledChange {
  readonly begin: BeginRecord;
  readonly keys: ReadonlyMap<string, JournaledKey>;
  /** Whether every original is on disk: only then can anything have been sent. */
  readonly ready: boolean;
  readonly state: ChangeState;
  readonly end?: EndRecord;
  /** The hosts that have run it: the first, and those that have gone on with it. */
  readonly hosts: ReadonlySet<string>;
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
  let ready = false;
  const hosts = new Set<string>();
  return {
    add(record) {
      if (record.type === "begin" || record.type === "resumed") hosts.add(record.host);
      if (record.type === "begin") begin = record;
      else if (record.type === "end") end = record;
      else if (record.type === "resumed") end = undefined;
      else if (record.type === "ready") ready = true;
      else addToKeys(keys, record);
    },
    result() {
      if (begin === undefined) throw noBegin();
      return {
        begin,
        keys,
        ready,
        hosts,
        state: stateOf([...keys.values()], end),
        ...(end === undefined ? {} : { end }),
      };
    },
  };
}

function addToKeys(keys: Map<string, JournaledKey>, record: JournalRecord): void {
  const update = (key: string, more: Partial<JournaledKey>) => {
    const known = keys.get(key);
    if (known !== undefined) keys.set(key, { ...known, ...more });
  };
  if (record.type === "original") {
    const { key, outline, modRevision, sha256, edits } = record;
    keys.set(key, { key, outline, modRevision, sha256, edits });
  } else if (record.type === "intent") {
    for (const sent of record.keys) update(sent.key, { sent });
  } else if (record.type === "committed") {
    for (const key of record.keys) update(key, { committedAt: record.revision });
  } else if (record.type === "dropped") {
    update(record.key, { dropped: record.reason });
  }
}

function stateOf(keys: readonly JournaledKey[], end: EndRecord | undefined): ChangeState {
  if (end?.state === "undone") return "undone";
  const settled = keys.filter(
    ({ committedAt, dropped }) => committedAt !== undefined || dropped !== undefined,
  );
  if (settled.length === keys.length && keys.length > 0)
    return end?.state === "not-verified" ? "not-verified" : "done";
  // A run that ended by itself has settled what it sent; only a killed one, or one that says so, leaves doubt.
  if (keys.some(isDoubtful) && (end === undefined || end.state === "in-doubt")) return "in-doubt";
  return keys.some(({ committedAt }) => committedAt !== undefined) ? "part-applied" : "not-written";
}

/** The keys that are known to be written. */
export function writtenKeys({ keys }: JournaledChange): readonly string[] {
  return [...keys.values()].flatMap(({ key, committedAt }) => (committedAt === undefined ? [] : [key]));
}

/** The keys that were sent, and of which it is not known whether they are written. */
export function doubtfulKeys({ keys }: JournaledChange): readonly JournaledKey[] {
  return [...keys.values()].filter(isDoubtful);
}

function isDoubtful({ sent, committedAt, dropped }: JournaledKey): boolean {
  return sent !== undefined && committedAt === undefined && dropped === undefined;
}

function noBegin(): EtcdcidrError {
  return new EtcdcidrError("journal-damaged", {
    what: "cannot read this journal",
    why: "it has no first record; the run that made it ended before it was written",
    now: "that run wrote nothing to etcd",
    next: "remove its directory",
  });
}

/** The same change with other keys, its state worked out anew. */
export function withKeys(
  change: JournaledChange,
  settled: ReadonlyMap<string, JournaledKey>,
): JournaledChange {
  const keys = new Map([...change.keys].map(([name, key]) => [name, settled.get(name) ?? key]));
  return { ...change, keys, state: stateOf([...keys.values()], change.end) };
}

/** The plan that a journal was begun with, less its findings; its changes are those that are not settled yet. */
export function planOf({ begin, keys }: JournaledChange): Plan {
  const { families, ...header } = begin.plan;
  const all = [...keys.values()];
  const unsettled = all.filter(
    ({ committedAt, dropped }) => committedAt === undefined && dropped === undefined,
  );
  return {
    ...header,
    outline: {
      families,
      nodes: all.map(({ outline }) => outline),
      unchanged: header.nodeUids.size - all.length,
    },
    stages: [{ name: "nodes", groups: unsettled.map((key) => [toUpdate(key)]) }],
    findings: [],
  };
}

function toUpdate({ key, modRevision, sha256, edits }: JournaledKey): Change {
  return { action: "update", key, modRevision, sha256, edits };
}

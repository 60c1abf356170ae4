import { EtcdcidrError } from "../../src/errors.js";
import type { JournalRecord, SentKey } from "../../src/plan/journal-record.js";
import type { Etcd, Journal, JournalStore, TxnOperation } from "../../src/ports.js";
import { sha256Hex } from "../../src/storage/digest.js";

/** A Txn over Nodes, and what of it was on disk when it was sent. */
export interface TracedTxn {
  readonly nodes: number;
  /** Keys that no durable intent announces with the very bytes and revision that are sent. */
  readonly unannounced: readonly string[];
  /** Keys whose original is not on disk. */
  readonly withoutOriginal: readonly string[];
  /** Whether it was on disk that all originals are. */
  readonly ready: boolean;
}

interface Trace {
  readonly txns: TracedTxn[];
  /** What has been appended, and how much of it is on disk. */
  records: JournalRecord[];
  durable: number;
  /** The disk is full from this sync on; the first is number 1. */
  fullFromSync: number;
  syncs: number;
}

let trace: Trace = emptyTrace();

function emptyTrace(): Trace {
  return { txns: [], records: [], durable: 0, fullFromSync: Number.POSITIVE_INFINITY, syncs: 0 };
}

/** Forgets what was traced; from the given sync on the disk is full. */
export function traceFromHere(fullFromSync: number = Number.POSITIVE_INFINITY): void {
  trace = { ...emptyTrace(), fullFromSync };
}

export function tracedTxns(): readonly TracedTxn[] {
  return trace.txns;
}

export function tracedRecords(): readonly JournalRecord[] {
  return trace.records;
}

/** The store, its journals' appends and syncs traced. */
export function tracedStore(store: JournalStore): JournalStore {
  return {
    ...store,
    create: async (changeId) => traced(await store.create(changeId)),
    reopen: async (changeId) => traced(await store.reopen(changeId)),
  };
}

function traced(journal: Journal): Journal {
  return {
    ...journal,
    append(record) {
      trace.records.push(record);
      journal.append(record);
    },
    async sync() {
      const appended = trace.records.length;
      trace.syncs += 1;
      if (trace.syncs >= trace.fullFromSync) throw diskFull(journal.directory);
      await journal.sync();
      trace.durable = Math.max(trace.durable, appended);
    },
  };
}

/** The etcd, its Txns over Nodes compared with what is on disk. */
export function tracedEtcd(etcd: Etcd): Etcd {
  return {
    ...etcd,
    txn(request) {
      const nodes = request.operations.filter(({ key }) => key.includes("/minions/"));
      if (nodes.length > 0) trace.txns.push(inspect(nodes));
      return etcd.txn(request);
    },
  };
}

function inspect(operations: readonly TxnOperation[]): TracedTxn {
  const onDisk = trace.records.slice(0, trace.durable);
  const announced = onDisk.flatMap((record) => (record.type === "intent" ? record.keys : []));
  const originals = new Set(onDisk.flatMap((record) => (record.type === "original" ? [record.key] : [])));
  const keys = operations.map(({ key }) => key);
  return {
    nodes: operations.length,
    unannounced: operations
      .filter((operation) => !announced.some((sent) => isTheSame(sent, operation)))
      .map(({ key }) => key),
    withoutOriginal: keys.filter((key) => !originals.has(key)),
    ready: onDisk.some(({ type }) => type === "ready"),
  };
}

function isTheSame(sent: SentKey, operation: TxnOperation): boolean {
  return (
    operation.action === "update" &&
    sent.key === operation.key &&
    sent.modRevision === operation.modRevision &&
    sent.sha256 === sha256Hex(operation.value)
  );
}

/** As adapters/journal-files.ts says it. */
function diskFull(directory: string): EtcdcidrError {
  return new EtcdcidrError("journal-unusable", {
    what: `cannot keep a journal in ${directory}`,
    why: "ENOSPC: no space left on device, write",
    now: "nothing was written",
    next: "make room, or give another --journal-dir",
  });
}

import type { JournalRecord } from "./plan/journal-record.js";
import type { Precondition } from "./plan/plan.js";
import type { ListedMember, MemberAlarm, MemberList, MemberStatus } from "./reconcile/cluster-state.js";
import type { KeyValue } from "./storage/key-value.js";

export interface EtcdStatus {
  readonly clusterId: bigint;
  readonly memberId: bigint;
  /** The server's version, `3.6.16`. */
  readonly version: string;
  readonly revision: bigint;
  readonly leader: bigint;
  readonly isLearner: boolean;
  readonly dbSize: bigint;
}

export interface RangeRequest {
  readonly key: string;
  /** Exclusive end; absent reads the one key. */
  readonly rangeEnd?: string;
  readonly limit?: number;
  /** 0 or absent reads the newest; pages of one read set share a revision. */
  readonly revision?: bigint;
  readonly keysOnly?: boolean;
}

export interface RangePage {
  readonly revision: bigint;
  readonly keyValues: readonly KeyValue[];
  readonly more: boolean;
}

/** The only three shapes of a write: compared on mod_revision, then put or deleted, else read. */
export type TxnOperation =
  | {
      readonly action: "create";
      readonly key: string;
      readonly value: Uint8Array;
      /** The key goes when this lease ends; absent: it stays. */
      readonly lease?: bigint;
    }
  | {
      readonly action: "update";
      readonly key: string;
      readonly modRevision: bigint;
      readonly value: Uint8Array;
      readonly lease?: bigint;
    }
  | { readonly action: "delete"; readonly key: string; readonly modRevision: bigint };

export interface TxnRequest {
  readonly operations: readonly TxnOperation[];
  /** Compares beyond the operations' own, a lock's for example. */
  readonly preconditions: readonly Precondition[];
}

export type TxnOutcome =
  | { readonly kind: "committed"; readonly revision: bigint }
  /** A compare was lost; `current` holds what the keys of updates and deletes are now (absent = no such key). */
  | { readonly kind: "lost"; readonly revision: bigint; readonly current: ReadonlyMap<string, KeyValue> };

/**
 * One etcd endpoint. Every call has a deadline. Errors are EtcdcidrErrors: `unreachable`, `tls`, `authentication`,
 * `compacted` for reads; for a Txn besides `too-large` (nothing written), `not-sent` (provably not sent) and
 * `in-doubt` (sent, no answer).
 */
export interface Etcd {
  readonly endpoint: string;
  status(): Promise<EtcdStatus>;
  range(request: RangeRequest): Promise<RangePage>;
  txn(request: TxnRequest): Promise<TxnOutcome>;
  members(): Promise<readonly ListedMember[]>;
  /** A lease of this many seconds; returns its id. Not on kine, which has none (`wrong-etcd`). */
  grantLease(ttlSeconds: number): Promise<bigint>;
  /** Renews it once; returns the seconds it has left, 0 when it is gone. */
  keepLeaseAlive(lease: bigint): Promise<number>;
  /** Ends it, and with it every key that hangs on it. */
  revokeLease(lease: bigint): Promise<void>;
  /**
   * Tells once, of the first key below a prefix (with its slash) that is put at this revision or later, until the returned function is
   * called. Silence proves nothing: what goes wrong is not told.
   */
  watchPut(prefix: string, from: bigint, onPut: (key: string) => void): () => void;
  close(): void;
}

/**
 * What came of a change of the members. A change may hang in the server for ever, so that `not-done` may be done all the same:
 * the list has to be read again before anything is repeated.
 */
export type MembershipAnswer =
  | { readonly kind: "done" }
  | { readonly kind: "not-done"; readonly why: string };

/**
 * The members of etcd as one endpoint knows them. Every call has a deadline. Errors are EtcdcidrErrors: `unreachable`,
 * `tls`, `authentication`.
 */
export interface EtcdMembers {
  readonly endpoint: string;
  status(): Promise<MemberStatus>;
  /** Linearizable: after a read through the quorum at this endpoint, since etcd 3.4 tells every list locally. */
  list(read: MemberList["read"]): Promise<MemberList>;
  /** Needs the quorum. */
  alarms(): Promise<readonly MemberAlarm[]>;
  /** Adds a learner. */
  add(peerUrl: string): Promise<MembershipAnswer>;
  remove(id: bigint): Promise<MembershipAnswer>;
  promote(id: bigint): Promise<MembershipAnswer>;
  /** The hash of all keys at a revision; undefined where it is compacted. */
  hashKv(revision: bigint): Promise<number | undefined>;
  close(): void;
}

/** The journal of one change, open for writing. */
export interface Journal {
  readonly changeId: string;
  readonly directory: string;
  /** Queues a record, in order. */
  append(record: JournalRecord): void;
  /** Hands the queue to the operating system. Throws `journal-unusable`. */
  flush(): Promise<void>;
  /** Returns when every record appended so far is on disk (fsync; concurrent calls share one). Throws `journal-unusable`. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** How records become lines; handed to the files' adapter, which knows no record. */
export interface JournalCodec {
  readonly firstSum: string;
  /** The line in UTF-8 with its line feed, and the sum that the next line continues from. */
  encode(record: JournalRecord, previousSum: string): { readonly bytes: Uint8Array; readonly sum: string };
  /** Undefined for a line that is not as it was written. */
  decode(
    line: string,
    previousSum: string,
  ): { readonly record: JournalRecord; readonly sum: string } | undefined;
}

export interface JournalStore {
  readonly directory: string;
  /** Finds out, without leaving anything behind, whether a journal of this size can be written. Throws `journal-unusable`. */
  probe(bytes: number): Promise<void>;
  create(changeId: string): Promise<Journal>;
  /** Ids of the changes that have a journal here, oldest first. */
  list(): Promise<readonly string[]>;
  /** Opens a journal to go on with it; a torn last line is cut off. Throws `journal-damaged`. */
  reopen(changeId: string): Promise<Journal>;
  /** Copies a change's journal, proven whole, into a new file. */
  exportTo(changeId: string, path: string): Promise<void>;
  /** Takes over a journal from such a file; returns the change's id. Throws `refused` if it has one of that id. */
  importFrom(path: string): Promise<string>;
  /** A change's records in order; a torn last line is left out. Throws `journal-damaged`. */
  read(changeId: string): AsyncIterable<JournalRecord>;
}

/** Keeps stored bytes out of memory between gathering and journalling; gone when the process is. */
export interface Spool {
  add(key: string, value: Uint8Array): Promise<void>;
  read(keys: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  close(): Promise<void>;
}

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  sleep(ms: number): Promise<void>;
  /** Runs the task again and again until the returned function is called; it does not keep the process alive. */
  every(ms: number, task: () => Promise<void>): () => void;
}

/** This host and this process, as a lock names them. */
export interface Host {
  readonly name: string;
  readonly bootId: string;
  readonly pid: number;
  readonly user: string;
  isAlive(pid: number): boolean;
}

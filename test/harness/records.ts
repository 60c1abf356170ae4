import type { BeginRecord, JournalRecord, OriginalRecord } from "../../src/plan/journal-record.js";

/** The first record of a journal, of a change over one Node. */
export const BEGIN: BeginRecord = {
  type: "begin",
  changeId: "20261201-113000-7f3a9c",
  atMs: Date.UTC(2026, 11, 1, 11, 30),
  toolVersion: "0.1.0",
  host: "kube-1",
  user: "root",
  endpoint: "https://127.0.0.1:2379",
  plan: {
    id: "7f3a9c000000",
    cluster: { etcdId: 0xdaea43bb4a4c6fb3n, kubeSystemUid: "0a1b" },
    readAt: 284n,
    intent: {
      operation: "change-pod-cidr",
      nowMs: Date.UTC(2026, 11, 1, 11, 30),
      prefix: "/registry",
      accept: [],
      oneTransaction: false,
      clusterCidrs: ["10.212.0.0/16"],
      mapping: "index",
      reserved: [],
      nodes: [],
      assignMissing: false,
      addFamily: false,
    },
    mode: { kind: "one-transaction", why: "no API server lives, and everything fits into one Txn" },
    nodeUids: new Map([["kube-1", "u-1"]]),
    families: [
      {
        family: 4,
        target: "10.212.0.0/16",
        nodeMask: 24,
        nodeMaskSource: "as all Nodes have now",
        blocks: 256n,
        used: 1,
      },
    ],
  },
};

const KEY = "/registry/minions/kube-1";

export const ORIGINAL: OriginalRecord = {
  type: "original",
  key: KEY,
  modRevision: 200n,
  sha256: "00",
  outline: {
    name: "kube-1",
    key: KEY,
    uid: "u-1",
    before: ["10.112.0.0/24"],
    after: ["10.212.0.0/24"],
    choices: ["index 0"],
  },
  edits: [{ path: "spec.podCIDR", old: "10.112.0.0/24", new: "10.212.0.0/24" }],
  value: Buffer.from([0, 10, 13, 255, 0x80]),
};

/** A whole journal, a record of each type that a run writes. */
export const RECORDS: readonly JournalRecord[] = [
  BEGIN,
  ORIGINAL,
  { type: "ready", originals: 1 },
  { type: "intent", txn: 0, keys: [{ key: KEY, modRevision: 200n, sha256: "01" }] },
  { type: "committed", txn: 0, revision: 285n, keys: [KEY] },
  { type: "end", state: "done", atMs: Date.UTC(2026, 11, 1, 11, 31) },
];

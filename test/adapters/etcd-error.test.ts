import { expect, test } from "vitest";
import { type EtcdCall, explainEtcdError, isProvablyUnsent } from "../../src/adapters/etcd-error.js";
import { lostCreate } from "../../src/adapters/etcd-txn.js";
import type { ErrorCode } from "../../src/errors.js";

const TARGET = { endpoint: "http://127.0.0.1:2379", dialTimeoutMs: 2000, commandTimeoutMs: 5000 };
const TXN: EtcdCall = { kind: "txn", keys: ["/registry/minions/a"] };
const RANGE: EtcdCall = { kind: "range", key: "/registry/minions/" };

const explain = (message: string, call: EtcdCall) => explainEtcdError(new Error(message), call, TARGET, 0);

// The texts are those of grpc-js 1.14 and etcd 3.4 to 3.6.
test.each<[string, ErrorCode, ErrorCode]>([
  ["4 DEADLINE_EXCEEDED: Deadline exceeded after 5.0s,Waiting for LB pick", "not-sent", "unreachable"],
  [
    "4 DEADLINE_EXCEEDED: Deadline exceeded after 5.0s,waiting for name resolution",
    "not-sent",
    "unreachable",
  ],
  ["4 DEADLINE_EXCEEDED: Deadline exceeded after 5.0s,remote_addr=127.0.0.1:2379", "in-doubt", "unreachable"],
  [
    "4 DEADLINE_EXCEEDED: Deadline exceeded after 5.0s,previous attempts: 1,Waiting for LB pick",
    "in-doubt",
    "unreachable",
  ],
  ["4 DEADLINE_EXCEEDED: context deadline exceeded", "in-doubt", "unreachable"],
  ["14 UNAVAILABLE: Channel closed before call started", "not-sent", "unreachable"],
  [
    "14 UNAVAILABLE: No connection established. Last error: null. Resolution note: ",
    "not-sent",
    "unreachable",
  ],
  ["14 UNAVAILABLE: Connection dropped", "in-doubt", "unreachable"],
  ["14 UNAVAILABLE: read ECONNRESET", "in-doubt", "unreachable"],
  ["14 UNAVAILABLE: etcdserver: request timed out", "in-doubt", "unreachable"],
  ["14 UNAVAILABLE: etcdserver: leader changed", "in-doubt", "unreachable"],
  ["14 UNAVAILABLE: etcdserver: rpc not supported for learner", "unreachable", "unreachable"],
  ["13 INTERNAL: Failed to start HTTP/2 stream with error x", "not-sent", "unreachable"],
  ["1 CANCELLED: Call cancelled", "in-doubt", "unreachable"],
  ["2 UNKNOWN: what no one has seen yet", "in-doubt", "unreachable"],
  ["8 RESOURCE_EXHAUSTED: etcdserver: mvcc: database space exceeded", "not-sent", "not-sent"],
  ["8 RESOURCE_EXHAUSTED: etcdserver: too many requests", "in-doubt", "unreachable"],
  ["3 INVALID_ARGUMENT: etcdserver: duplicate key given in txn request", "not-sent", "unreachable"],
  ["3 INVALID_ARGUMENT: etcdserver: unsupported operations in txn request", "wrong-etcd", "wrong-etcd"],
  ["12 UNIMPLEMENTED: serializable is not implemented by kine", "wrong-etcd", "wrong-etcd"],
  ["11 OUT_OF_RANGE: etcdserver: mvcc: required revision is a future revision", "wrong-etcd", "wrong-etcd"],
  ["7 PERMISSION_DENIED: etcdserver: permission denied", "authentication", "authentication"],
  ["16 UNAUTHENTICATED: the token is no longer known", "authentication", "authentication"],
  ["answer.header is null", "in-doubt", "internal"],
])("%s: %s for a Txn, %s for a read", (message, ofTxn, ofRead) => {
  expect(explain(message, TXN).code).toBe(ofTxn);
  expect(explain(message, RANGE).code).toBe(ofRead);
});

test("a Txn that etcd has answered with a refusal is told as refused", () => {
  expect(explain("8 RESOURCE_EXHAUSTED: etcdserver: mvcc: database space exceeded", TXN).explanation).toEqual(
    {
      what: "a Txn of 1 key was refused by etcd at http://127.0.0.1:2379",
      why: "etcd's space quota is used up (alarm NOSPACE)",
      now: "none of its changes is in etcd",
      next: "compact and defragment etcd, disarm the alarm, then run again",
    },
  );
});

test("a text that is not known is passed on, without gRPC's empty note", () => {
  const message =
    "14 UNAVAILABLE: No connection established. Last error: Error: strange (2026-12-01T12:30:19.232Z). Resolution note: ";
  expect(explain(message, { kind: "status" }).explanation).toMatchObject({
    why: "No connection established. Last error: Error: strange",
    next: "look at etcd's log for the reason",
  });
});

test.each([
  ["https://127.0.0.1:2380", "Failed to connect"],
  ["https://127.0.0.1:2380", "Protocol error"],
  ["http://127.0.0.1:2380", "Protocol error"],
])("%s: %s is what a peer port without gRPC gives", (endpoint, text) => {
  const error = new Error(`14 UNAVAILABLE: No connection established. Last error: ${text} (NOW).`);
  expect(explainEtcdError(error, { kind: "status" }, { ...TARGET, endpoint }, 0).explanation).toMatchObject({
    why: "what listens there does not speak gRPC: it is another program, or etcd's peer port (2380) or metrics port",
    next: "use etcd's client port (its --listen-client-urls, usually 2379)",
  });
});

test("only a Txn that never left this host is provably unsent", () => {
  const unsent = explain("4 DEADLINE_EXCEEDED: Deadline exceeded after 5.0s,Waiting for LB pick", TXN);
  const refused = explain("8 RESOURCE_EXHAUSTED: etcdserver: mvcc: database space exceeded", TXN);
  const read = explain("4 DEADLINE_EXCEEDED: Deadline exceeded after 5.0s,Waiting for LB pick", RANGE);
  expect([unsent.code, refused.code]).toEqual(["not-sent", "not-sent"]);
  expect([unsent, refused, read, unsent.cause].map(isProvablyUnsent)).toEqual([true, false, false, false]);
});

test("a lost quorum is named", () => {
  expect(explain("14 UNAVAILABLE: etcdserver: no leader", RANGE).explanation).toEqual({
    what: "etcd at http://127.0.0.1:2379 did not serve a read of /registry/minions/",
    why: "the cluster has no leader: its quorum is lost or a leader is being elected",
    now: "nothing was written by this call",
    next: "check the members (etcdctl endpoint status --cluster)",
  });
});

test("an old kine's duplicate key is a lost create, for one create alone", () => {
  const error = new Error("2 UNKNOWN: duplicate key given in txn request");
  const create = { action: "create", key: "/a", value: Buffer.from("1") } as const;
  const update = { action: "update", key: "/a", modRevision: 1n, value: Buffer.from("1") } as const;
  const lost = { kind: "lost", revision: 0n, current: new Map() };
  expect(lostCreate(error, { operations: [create], preconditions: [] })).toEqual(lost);
  expect(lostCreate(error, { operations: [update], preconditions: [] })).toBeUndefined();
  expect(lostCreate(error, { operations: [create, create], preconditions: [] })).toBeUndefined();
  expect(lostCreate(new Error("other"), { operations: [create], preconditions: [] })).toBeUndefined();
});

import { afterEach, expect, test } from "vitest";
import { connectEtcd } from "../../src/adapters/endpoint.js";
import { type EtcdCall, explainEtcdError } from "../../src/adapters/etcd-error.js";
import { withFailover } from "../../src/adapters/failover.js";
import type { Etcd, TxnRequest } from "../../src/ports.js";
import { dumpEtcd } from "../harness/etcd.js";
import { type EtcdCluster, startEtcdCluster } from "../harness/etcd-cluster.js";
import { freeze } from "../harness/freeze.js";
import { failureOf } from "./etcd-failure.js";

const create = (key: string): TxnRequest => ({
  operations: [{ action: "create", key, value: Buffer.from("1") }],
  preconditions: [],
});

const UNSENT = "14 UNAVAILABLE: No connection established. Last error: Error: connect ECONNREFUSED";
const REFUSED = "connection refused: nothing listens there";
const FROZEN = "no answer within 1s: etcd is frozen, overloaded or without quorum";

/** A member that answers everything with one error, or with its name; `asked` counts the calls. */
function standIn(name: string, message?: string): Etcd & { readonly asked: string[] } {
  const target = { endpoint: `http://${name}:2379`, dialTimeoutMs: 1000, commandTimeoutMs: 1000 };
  const asked: string[] = [];
  const answer = async <T>(call: EtcdCall): Promise<T> => {
    asked.push(call.kind);
    if (message === undefined) return Object({ kind: "committed", from: name });
    throw explainEtcdError(new Error(message), call, target, 0);
  };
  return {
    asked,
    endpoint: target.endpoint,
    status: () => answer({ kind: "status" }),
    range: ({ key }) => answer({ kind: "range", key }),
    txn: () => answer({ kind: "txn", keys: ["/a"] }),
    members: () => answer({ kind: "members" }),
    grantLease: () => answer({ kind: "lease", verb: "grant" }),
    keepLeaseAlive: () => answer({ kind: "lease", verb: "renew" }),
    revokeLease: () => answer({ kind: "lease", verb: "end" }),
    watchPut: () => {
      asked.push("watch");
      return () => undefined;
    },
    close: () => asked.push("close"),
  };
}

test.each([
  ["not sent", "4 DEADLINE_EXCEEDED: Deadline exceeded after 1.0s,Waiting for LB pick"],
  ["not sent", UNSENT],
])("a Txn %s goes to the next: %s", async (_fate, message) => {
  const [dead, well] = [standIn("a", message), standIn("b")];
  const etcd = withFailover([dead, well]);
  expect(await etcd.txn(create("/a"))).toEqual({ kind: "committed", from: "b" });
  expect(etcd.endpoint).toBe("http://b:2379");
  await etcd.txn(create("/a"));
  expect([dead.asked, well.asked]).toEqual([["txn"], ["txn", "txn"]]);
});

test.each([
  ["4 DEADLINE_EXCEEDED: Deadline exceeded after 1.0s,remote_addr=127.0.0.1:2379", "in-doubt"],
  ["14 UNAVAILABLE: Connection dropped", "in-doubt"],
  ["14 UNAVAILABLE: etcdserver: request timed out", "in-doubt"],
  ["2 UNKNOWN: what no one has seen yet", "in-doubt"],
  ["8 RESOURCE_EXHAUSTED: etcdserver: mvcc: database space exceeded", "not-sent"],
  ["3 INVALID_ARGUMENT: etcdserver: too many operations in txn request", "too-large"],
  ["3 INVALID_ARGUMENT: etcdserver: duplicate key given in txn request", "not-sent"],
  ["5 NOT_FOUND: etcdserver: requested lease not found", "not-sent"],
  ["14 UNAVAILABLE: etcdserver: rpc not supported for learner", "unreachable"],
  ["7 PERMISSION_DENIED: etcdserver: permission denied", "authentication"],
])("a Txn is sent to no other endpoint after %s (%s)", async (message, code) => {
  const [first, second] = [standIn("a", message), standIn("b")];
  const etcd = withFailover([first, second]);
  expect(await failureOf(etcd.txn(create("/a")))).toMatchObject({ code });
  expect(etcd.endpoint).toBe("http://a:2379");
  expect(second.asked).toEqual([]);
});

test("everything that may be asked twice goes to the next, once round, and close closes all", async () => {
  const switches: string[][] = [];
  const members = [standIn("a", UNSENT), standIn("b", UNSENT), standIn("c")] as const;
  const kept = withFailover(members, (...each) => switches.push(each));
  await Promise.all([
    kept.status(),
    kept.range({ key: "/" }),
    kept.members(),
    kept.grantLease(15),
    kept.keepLeaseAlive(1n),
    kept.revokeLease(1n),
  ]);
  expect(members.map(({ asked }) => asked.length)).toEqual([6, 6, 6]);
  expect(switches).toEqual([["http://a:2379", "http://c:2379", REFUSED]]);
  kept.close();
  expect(members.map(({ asked }) => asked.at(-1))).toEqual(["close", "close", "close"]);
});

test("an answer of etcd is no reason to ask another one", async () => {
  const second = standIn("b");
  const etcd = withFailover([
    standIn("a", "11 OUT_OF_RANGE: etcdserver: mvcc: required revision has been compacted"),
    second,
  ]);
  expect(await failureOf(etcd.range({ key: "/" }))).toMatchObject({ code: "compacted" });
  expect(second.asked).toEqual([]);
});

test("when none answers each is named with its reason", async () => {
  const members = [
    standIn("a", UNSENT),
    standIn("b", "4 DEADLINE_EXCEEDED: Deadline exceeded after 1.0s,Waiting for LB pick"),
  ] as const;
  const silent = "no connection within 1s: the host is down, a firewall drops the packets, or etcd is frozen";
  const why = `http://a:2379: ${REFUSED}; http://b:2379: ${silent}`;
  const etcd = withFailover(members);
  expect(await failureOf(etcd.range({ key: "/k" }))).toMatchObject({
    code: "unreachable",
    explanation: { what: "etcd at http://b:2379 did not serve a read of /k", why },
  });
  expect(await failureOf(etcd.txn(create("/k")))).toMatchObject({ code: "not-sent", explanation: { why } });
  expect(etcd.endpoint).toBe("http://a:2379");
});

const clusters: EtcdCluster[] = [];
afterEach(async () => {
  await Promise.all(clusters.splice(0).map((cluster) => cluster.stop()));
});

/** Three members, followers first, so that what is done to the first one costs no election. */
async function startThree() {
  const cluster = await startEtcdCluster(3);
  clusters.push(cluster);
  const leader = await cluster.leader();
  const [kept, next] = cluster.members.filter((member) => member !== leader);
  if (kept === undefined || next === undefined) throw new Error("not three members");
  const members = [kept, next, leader] as const;
  const switches: string[][] = [];
  const targets = members.map(({ clientUrl }) => ({
    endpoint: clientUrl,
    dialTimeoutMs: 5000,
    commandTimeoutMs: 1000,
  }));
  const { etcd, warnings } = await connectEtcd(targets, "/registry/", (...each) => switches.push(each));
  expect([etcd.endpoint, warnings]).toEqual([kept.clientUrl, []]);
  return { members, etcd, switches };
}

test("the kept member is killed between Txns: the next one takes them from then on", async () => {
  const { members, etcd, switches } = await startThree();
  const [kept, next, leader] = members;
  expect(await etcd.txn(create("/before"))).toMatchObject({ kind: "committed" });
  kept.kill("SIGKILL");
  // A Txn on a connection that is just going down is in doubt, so each try has a key of its own.
  let tries = 0;
  await expect.poll(() => etcd.txn(create(`/after/${tries++}`))).toMatchObject({ kind: "committed" });
  expect(switches).toEqual([[kept.clientUrl, next.clientUrl, REFUSED]]);
  expect(etcd.endpoint).toBe(next.clientUrl);
  expect((await etcd.range({ key: "/before" })).keyValues).toHaveLength(1);
  next.kill("SIGKILL");
  leader.kill("SIGKILL");
  await expect.poll(() => failureOf(etcd.txn(create("/none")))).toMatchObject({ code: "not-sent" });
  etcd.close();
});

test("the kept member is frozen under reads in flight: each is answered by the next, told once", async () => {
  const { members, etcd, switches } = await startThree();
  const [kept, next] = members;
  await freeze(kept);
  const pages = await Promise.all(Array.from({ length: 8 }, () => etcd.range({ key: "/", rangeEnd: "0" })));
  expect(pages.map(({ keyValues }) => keyValues)).toEqual(Array(8).fill([]));
  expect(switches).toEqual([[kept.clientUrl, next.clientUrl, FROZEN]]);
  kept.kill("SIGCONT");
  await etcd.range({ key: "/" });
  expect(etcd.endpoint).toBe(next.clientUrl);
  etcd.close();
});

test("the kept member is frozen under Txns in flight: all are in doubt, and none was written twice", async () => {
  const { members, etcd } = await startThree();
  const [kept, next] = members;
  const keys = Array.from({ length: 16 }, (_, i) => `/doubt/${i}`);
  await freeze(kept);
  const failures = await Promise.all(keys.map((key) => failureOf(etcd.txn(create(key)))));
  expect(failures).toMatchObject(Array(16).fill({ code: "in-doubt", explanation: { why: FROZEN } }));
  expect(etcd.endpoint).toBe(kept.clientUrl);
  // What the frozen member holds may still come; the same create sent anew is written in its place, or lost to it.
  expect((await etcd.range({ key: "/doubt/", rangeEnd: "/doubt0" })).keyValues).toEqual([]);
  expect(etcd.endpoint).toBe(next.clientUrl);
  await Promise.all(keys.map((key) => etcd.txn(create(key))));
  kept.kill("SIGCONT");
  const again = await Promise.all(keys.map((key) => etcd.txn(create(key))));
  expect(new Set(again.map(({ kind }) => kind))).toEqual(new Set(["lost"]));
  const dump = await dumpEtcd(next.endpoint, "/doubt/");
  expect([...dump.values()].map((value) => value.modRevision === value.createRevision)).toEqual(
    Array(16).fill(true),
  );
  etcd.close();
});

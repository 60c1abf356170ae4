import { afterEach, expect, test } from "vitest";
import { openEtcd } from "../../src/adapters/etcd.js";
import { EtcdcidrError } from "../../src/errors.js";
import type { Etcd, TxnOutcome, TxnRequest } from "../../src/ports.js";
import { type EtcdServer, startEtcd } from "../harness/etcd.js";
import { type EtcdCluster, startEtcdCluster } from "../harness/etcd-cluster.js";
import { freeze } from "../harness/freeze.js";
import { layCable } from "./etcd-cable.js";
import { failureOf } from "./etcd-failure.js";

const toStop: { stop(): unknown }[] = [];
afterEach(async () => {
  for (const each of toStop.splice(0).reverse()) await each.stop();
});

async function startThree(): Promise<EtcdCluster> {
  const cluster = await startEtcdCluster(3);
  toStop.push(cluster);
  return cluster;
}

function open(endpoint: string, commandTimeoutMs: number): Etcd {
  const etcd = openEtcd({ endpoint, dialTimeoutMs: 5000, commandTimeoutMs });
  toStop.push({ stop: () => etcd.close() });
  return etcd;
}

function othersOf(cluster: EtcdCluster, member: EtcdServer): readonly EtcdServer[] {
  return cluster.members.filter((each) => each !== member);
}

const create = (key: string): TxnRequest => ({
  operations: [{ action: "create", key, value: Buffer.from("1") }],
  preconditions: [],
});
const keysOf = (prefix: string, size: number) => Array.from({ length: size }, (_, i) => `${prefix}${i}`);

/** How a Txn ended: `committed`, `lost`, or its error's code. */
const fateOf = (sent: Promise<TxnOutcome>): Promise<string> =>
  sent.then(
    ({ kind }) => kind,
    (error: unknown) => (error instanceof EtcdcidrError ? error.code : String(error)),
  );

/** The keys that are there, read as soon as the cluster has a quorum and a leader again. */
async function present(etcd: Etcd, prefix: string): Promise<Set<string>> {
  const range = () => etcd.range({ key: prefix, rangeEnd: `${prefix.slice(0, -1)}0` });
  await expect.poll(range, { timeout: 60_000 }).toMatchObject({ more: false });
  return new Set((await range()).keyValues.map(({ key }) => key));
}

test("two of three members frozen before a Txn: in doubt, by our time limit and by etcd's", async () => {
  const cluster = await startThree();
  const leader = await cluster.leader();
  const others = othersOf(cluster, leader);
  // A leader without followers steps down after one to two seconds: well before that, and well behind it.
  const [hasty, patient] = [open(leader.clientUrl, 300), open(leader.clientUrl, 30_000)];
  await Promise.all([patient.txn(create("/written/1")), hasty.status()]);
  await Promise.all(others.map(freeze));
  const [byUs, byEtcd, read] = await Promise.all(
    [hasty.txn(create("/doubt/1")), patient.txn(create("/doubt/2")), hasty.range({ key: "/written/1" })].map(
      failureOf,
    ),
  );
  const doubt = (why: string) => ({ code: "in-doubt", explanation: { why } });
  expect(byUs).toMatchObject(doubt("no answer within 0.3s: etcd is frozen, overloaded or without quorum"));
  const NO_LEADER = "the cluster has no leader: its quorum is lost or a leader is being elected";
  expect(byEtcd).toMatchObject(doubt(NO_LEADER));
  expect(read).toMatchObject({ code: "unreachable" });
  for (const member of others) member.kill("SIGCONT");
  expect(await present(patient, "/written/")).toEqual(new Set(["/written/1"]));
  // Whatever became of them: sent once more each is there exactly once.
  const settled = await Promise.all(["/doubt/1", "/doubt/2"].map((key) => fateOf(patient.txn(create(key)))));
  expect(["committed", "lost"]).toEqual(expect.arrayContaining(settled));
  expect(await present(patient, "/doubt/")).toEqual(new Set(["/doubt/1", "/doubt/2"]));
});

test("frozen after the answer: what was answered is there when the quorum is back", async () => {
  const cluster = await startThree();
  const leader = await cluster.leader();
  const others = othersOf(cluster, leader);
  const etcd = open(leader.clientUrl, 800);
  expect(await etcd.txn(create("/answered/1"))).toMatchObject({ kind: "committed" });
  await Promise.all(others.map(freeze));
  expect(await failureOf(etcd.range({ key: "/answered/1" }))).toMatchObject({ code: "unreachable" });
  for (const member of others) member.kill("SIGCONT");
  expect(await present(etcd, "/answered/")).toEqual(new Set(["/answered/1"]));
});

interface Sent {
  readonly key: string;
  readonly fate: string;
}

/** Sends Txns one after the other until one is not committed. */
async function sendInTurn(etcd: Etcd, keys: readonly string[], answered: () => void): Promise<Sent[]> {
  const sent: Sent[] = [];
  for (let i = 0, fate = "committed"; fate === "committed" && i < keys.length; i++) {
    const key = keys[i] ?? "";
    fate = await fateOf(etcd.txn(create(key)));
    sent.push({ key, fate });
    answered();
  }
  return sent;
}

test.each([
  { what: "the quorum frozen", signal: "SIGSTOP", ask: "leader", strike: "others" },
  { what: "the leader frozen", signal: "SIGSTOP", ask: "others", strike: "leader" },
  { what: "the leader killed", signal: "SIGKILL", ask: "others", strike: "leader" },
] as const)(
  "$what under 16 streams of Txns: what is answered is done, all else is in doubt",
  async (each) => {
    const cluster = await startThree();
    const leader = await cluster.leader();
    const cast = { leader: [leader], others: othersOf(cluster, leader) };
    const etcd = open(cast[each.ask][0]?.clientUrl ?? "", 1500);
    let answers = 0;
    const strike = () => {
      answers += 1;
      for (const member of answers === 100 ? cast[each.strike] : []) member.kill(each.signal);
    };
    const streams = keysOf("/middle/", 16).map((name) => sendInTurn(etcd, keysOf(`${name}/`, 1000), strike));
    const sent = (await Promise.all(streams)).flat();
    for (const member of cast[each.strike]) member.kill("SIGCONT");
    expect(new Set(sent.map(({ fate }) => fate))).toEqual(new Set(["committed", "in-doubt"]));
    const there = await present(etcd, "/middle/");
    expect(sent.filter(({ key, fate }) => fate === "committed" && !there.has(key))).toEqual([]);
  },
);

test("one that a read does not see can still land, unless a key that it compares has changed", async () => {
  const server = await startEtcd();
  const cable = await layCable(server.clientUrl);
  toStop.push(server, { stop: () => cable.close() });
  const [far, near] = [open(cable.endpoint, 400), open(server.clientUrl, 20_000)];
  const lock = await server.put("/lock", "mine");
  const preconditions = [{ key: "/lock", modRevision: lock }];
  await far.range({ key: "/connected" });
  const deliver = cable.delayRequests();
  const fates = [
    fateOf(far.txn({ ...create("/late/1"), preconditions })),
    fateOf(far.txn(create("/late/2"))),
  ];
  expect(await Promise.all(fates)).toEqual(["in-doubt", "in-doubt"]);
  expect(await present(near, "/late/")).toEqual(new Set());
  await near.txn({ operations: [{ action: "delete", key: "/lock", modRevision: lock }], preconditions: [] });
  deliver();
  await expect.poll(() => present(near, "/late/")).toEqual(new Set(["/late/2"]));
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { openEtcd } from "../../src/adapters/etcd.js";
import type { Etcd, TxnOperation } from "../../src/ports.js";
import { dumpEtcd, type EtcdServer, openClient, startEtcd } from "../harness/etcd.js";
import { freeze } from "../harness/freeze.js";
import { startMember } from "./endpoint-server.js";
import { failureOf } from "./etcd-failure.js";

let server: EtcdServer;
let etcd: Etcd;

beforeAll(async () => {
  // A short election timeout, since etcd grants no lease shorter than one and a half of it.
  server = await startEtcd({ flags: ["--heartbeat-interval=10", "--election-timeout=200"] });
  etcd = openEtcd({ endpoint: server.clientUrl, dialTimeoutMs: 5000, commandTimeoutMs: 20_000 });
});
afterAll(async () => {
  etcd.close();
  await server.stop();
});

const keysUnder = async (prefix: string) => [...(await dumpEtcd(server.endpoint, prefix)).keys()];
const create = (key: string, lease: bigint): TxnOperation => ({
  action: "create",
  key,
  value: Buffer.from("1"),
  lease,
});

test("keys of creates and updates hang on a lease until it is ended", async () => {
  const lease = await etcd.grantLease(60);
  const revision = await server.put("/ended/b", "1");
  const value = Buffer.from("2");
  const update = { action: "update", key: "/ended/b", modRevision: revision, value, lease } as const;
  await etcd.txn({ operations: [create("/ended/a", lease), update], preconditions: [] });
  const { keyValues } = await etcd.range({ key: "/ended/", rangeEnd: "/ended0" });
  expect(keyValues.map((keyValue) => [keyValue.key, keyValue.lease])).toEqual([
    ["/ended/a", lease],
    ["/ended/b", lease],
  ]);
  expect(await etcd.keepLeaseAlive(lease)).toBe(60);
  await etcd.revokeLease(lease);
  expect(await keysUnder("/ended/")).toEqual([]);
  expect(await etcd.keepLeaseAlive(lease)).toBe(0);
});

test("an update without a lease takes the key off it", async () => {
  const lease = await etcd.grantLease(60);
  await etcd.txn({ operations: [create("/off", lease)], preconditions: [] });
  const [created] = (await etcd.range({ key: "/off" })).keyValues;
  const modRevision = created?.modRevision ?? 0n;
  const update = { action: "update", key: "/off", modRevision, value: Buffer.from("2") } as const;
  await etcd.txn({ operations: [update], preconditions: [] });
  await etcd.revokeLease(lease);
  expect(await keysUnder("/off")).toEqual(["/off"]);
});

test("a lease that is not renewed ends with its keys", async () => {
  const lease = await etcd.grantLease(1);
  await etcd.txn({ operations: [create("/expired", lease)], preconditions: [] });
  await expect.poll(() => keysUnder("/expired"), { timeout: 20_000 }).toEqual([]);
  expect(await etcd.keepLeaseAlive(lease)).toBe(0);
});

test("one that never was has nothing left, and is ended without complaint", async () => {
  expect(await etcd.keepLeaseAlive(4711n)).toBe(0);
  expect(await etcd.revokeLease(4711n)).toBeUndefined();
});

test("no key is written on a lease that has ended", async () => {
  expect(
    await failureOf(etcd.txn({ operations: [create("/late", 4711n)], preconditions: [] })),
  ).toMatchObject({
    code: "not-sent",
    explanation: {
      what: `a Txn of 1 key was refused by etcd at ${server.clientUrl}`,
      why: "the lease that a key is to hang on has ended",
      now: "none of its changes is in etcd",
      next: "run the command again",
    },
  });
  expect(await keysUnder("/late")).toEqual([]);
});

test("a frozen server: each call ends at its deadline, and the lease can be renewed when it thaws", async () => {
  const lease = await etcd.grantLease(600);
  const hasty = openEtcd({ endpoint: server.clientUrl, dialTimeoutMs: 5000, commandTimeoutMs: 400 });
  await hasty.range({ key: "/connected" });
  await freeze(server);
  const failed = await Promise.all(
    [hasty.grantLease(60), hasty.keepLeaseAlive(lease), hasty.revokeLease(4711n)].map(failureOf),
  );
  server.kill("SIGCONT");
  const failure = (verb: string) => ({
    code: "unreachable",
    explanation: {
      what: `etcd at ${server.clientUrl} did not ${verb} a lease`,
      why: "no answer within 0.4s: etcd is frozen, overloaded or without quorum",
      now: "a lease that is not renewed ends by itself, and its keys with it",
      next: "check etcd's health (etcdctl endpoint status --cluster), or raise --command-timeout",
    },
  });
  expect(failed).toMatchObject([failure("grant"), failure("renew"), failure("end")]);
  await expect.poll(() => hasty.keepLeaseAlive(lease)).toBe(600);
  hasty.close();
});

test("a user's token goes with every call about a lease", async () => {
  const admin = openClient(server.endpoint);
  await admin.auth.userAdd({ name: "root", password: "r" });
  await admin.auth.userGrantRole({ user: "root", role: "root" });
  const target = { endpoint: server.clientUrl, dialTimeoutMs: 5000, commandTimeoutMs: 5000 };
  const root = openEtcd({ ...target, user: { name: "root", password: "r" } });
  const lease = await root.grantLease(60);
  await root.txn({ operations: [create("/owned", lease)], preconditions: [] });
  await admin.auth.authEnable();
  expect(await root.keepLeaseAlive(lease)).toBe(60);
  expect((await root.members()).map(({ name }) => name)).toEqual(["etcd"]);
  await root.revokeLease(lease);
  expect(await root.keepLeaseAlive(lease)).toBe(0);
  root.close();
  admin.close();
});

test("kine has no leases, and one member", async () => {
  const kine = await startMember({ leader: "0", header: {} });
  const client = openEtcd({ endpoint: kine.endpoint, dialTimeoutMs: 5000, commandTimeoutMs: 5000 });
  expect(await client.members()).toEqual([
    { id: 0n, name: "kine", peerUrls: [], clientUrls: [], isLearner: false },
  ]);
  expect(await failureOf(client.grantLease(60))).toMatchObject({
    code: "wrong-etcd",
    explanation: {
      what: `etcd at ${kine.endpoint} did not grant a lease`,
      why: "it is kine, which does not know this call",
      next: "use only what kine knows",
    },
  });
  client.close();
  kine.stop();
});

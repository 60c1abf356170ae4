import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { openEtcd } from "../../src/adapters/etcd.js";
import type { Etcd, TxnOperation } from "../../src/ports.js";
import { dumpEtcd, type EtcdServer, openClient, startEtcd } from "../harness/etcd.js";
import { layCable } from "./etcd-cable.js";
import { failureOf } from "./etcd-failure.js";

let server: EtcdServer;
let etcd: Etcd;

beforeAll(async () => {
  server = await startEtcd();
  etcd = openEtcd({ endpoint: server.clientUrl, dialTimeoutMs: 5000, commandTimeoutMs: 20_000 });
});
afterAll(async () => {
  etcd.close();
  await server.stop();
});
afterEach(() => vi.unstubAllEnvs());

const bytes = (text: string): Uint8Array => Buffer.from(text);
const create = (key: string, value: string): TxnOperation => ({ action: "create", key, value: bytes(value) });

test("status gives ids and the revision as bigint", async () => {
  const revision = await server.put("/status/a", "1");
  const status = await etcd.status();
  expect(status).toMatchObject({ revision, isLearner: false, leader: status.memberId });
  expect(status.clusterId).toBeGreaterThan(0n);
  expect(status.dbSize).toBeGreaterThan(0n);
  expect(status.version).toMatch(/^3\.\d+\.\d+$/);
});

test("range reads one key, pages at one revision, and keys alone", async () => {
  const first = await server.put("/range/a", Uint8Array.of(0, 255));
  await server.put("/range/b", "2");
  const pinned = await server.put("/range/c", "3");
  await server.put("/range/c", "newer");
  expect(await etcd.range({ key: "/range/a" })).toEqual({
    revision: pinned + 1n,
    more: false,
    keyValues: [
      {
        key: "/range/a",
        value: Buffer.from([0, 255]),
        createRevision: first,
        modRevision: first,
        lease: 0n,
      },
    ],
  });
  const page = await etcd.range({ key: "/range/", rangeEnd: "/range0", limit: 2, revision: pinned });
  expect(page.keyValues.map(({ key }) => key)).toEqual(["/range/a", "/range/b"]);
  expect(page.more).toBe(true);
  const rest = await etcd.range({ key: "/range/b\0", rangeEnd: "/range0", limit: 2, revision: pinned });
  expect(rest.keyValues.map(({ value }) => value.toString())).toEqual(["3"]);
  expect(rest.more).toBe(false);
  const keys = await etcd.range({ key: "/range/", rangeEnd: "/range0", keysOnly: true });
  expect(keys.keyValues.map(({ key, value }) => [key, value.length])).toEqual([
    ["/range/a", 0],
    ["/range/b", 0],
    ["/range/c", 0],
  ]);
});

test("a page larger than gRPC's 4 MiB arrives", async () => {
  for (let i = 0; i < 6; i++) await server.put(`/large/${i}`, new Uint8Array(1_000_000).fill(i));
  const page = await etcd.range({ key: "/large/", rangeEnd: "/large0" });
  expect(page.keyValues.map(({ value }) => value.length)).toEqual(Array(6).fill(1_000_000));
});

test("create, update and delete are committed on their compares", async () => {
  const created = await etcd.txn({ operations: [create("/txn/a", "1")], preconditions: [] });
  const { revision } = await etcd.status();
  expect(created).toEqual({ kind: "committed", revision });
  const value = bytes("2");
  const update: TxnOperation = { action: "update", key: "/txn/a", modRevision: revision, value };
  expect(await etcd.txn({ operations: [update], preconditions: [] })).toEqual({
    kind: "committed",
    revision: revision + 1n,
  });
  expect((await dumpEtcd(server.endpoint, "/txn/")).get("/txn/a")).toEqual({
    value,
    modRevision: revision + 1n,
    createRevision: revision,
  });
  const remove: TxnOperation = { action: "delete", key: "/txn/a", modRevision: revision + 1n };
  expect(await etcd.txn({ operations: [remove], preconditions: [] })).toEqual({
    kind: "committed",
    revision: revision + 2n,
  });
  expect(await dumpEtcd(server.endpoint, "/txn/")).toEqual(new Map());
});

test("one lost compare loses the whole Txn and tells what the keys are now", async () => {
  const a = await server.put("/lost/a", "a");
  const b = await server.put("/lost/b", "b");
  const before = await dumpEtcd(server.endpoint, "/lost/");
  const outcome = await etcd.txn({
    operations: [
      { action: "update", key: "/lost/a", modRevision: a, value: bytes("x") },
      { action: "delete", key: "/lost/b", modRevision: b - 1n },
      { action: "update", key: "/lost/gone", modRevision: 1n, value: bytes("x") },
      create("/lost/new", "x"),
    ],
    preconditions: [],
  });
  const now = (key: string, value: string, revision: bigint) => ({
    key,
    value: Buffer.from(value),
    createRevision: revision,
    modRevision: revision,
    lease: 0n,
  });
  expect(outcome).toEqual({
    kind: "lost",
    revision: b,
    current: new Map([
      ["/lost/a", now("/lost/a", "a", a)],
      ["/lost/b", now("/lost/b", "b", b)],
    ]),
  });
  expect(await dumpEtcd(server.endpoint, "/lost/")).toEqual(before);
});

test("a lost create of an existing key has nothing current", async () => {
  const revision = await server.put("/exists", "1");
  expect(await etcd.txn({ operations: [create("/exists", "2")], preconditions: [] })).toEqual({
    kind: "lost",
    revision,
    current: new Map(),
  });
});

test("a precondition on another key holds or refuses the Txn", async () => {
  const lock = await server.put("/lock", "mine");
  const operations = [create("/locked", "1")];
  const lost = await etcd.txn({ operations, preconditions: [{ key: "/lock", modRevision: lock - 1n }] });
  expect(lost).toEqual({ kind: "lost", revision: lock, current: new Map() });
  const preconditions = [
    { key: "/lock", modRevision: lock },
    { key: "/no-lock", modRevision: 0n },
  ];
  expect(await etcd.txn({ operations, preconditions })).toEqual({ kind: "committed", revision: lock + 1n });
});

test("a value that is part of a larger buffer is sent alone", async () => {
  const value = Buffer.from("abcdef").subarray(2, 4);
  await etcd.txn({ operations: [{ action: "create", key: "/part", value }], preconditions: [] });
  expect((await dumpEtcd(server.endpoint, "/part")).get("/part")?.value).toEqual(Buffer.from("cd"));
});

test("129 operations are too many, and said to be that", async () => {
  const operations = Array.from({ length: 129 }, (_, i) => create(`/many/${i}`, "1"));
  const error = await failureOf(etcd.txn({ operations, preconditions: [] }));
  expect(error).toMatchObject({
    code: "too-large",
    explanation: {
      what: `a Txn of 129 keys was refused by etcd at ${server.clientUrl}`,
      why: "it has more operations than etcd's --max-txn-ops allows",
      now: "none of its changes is in etcd",
      next: "send fewer keys in one Txn",
    },
  });
  expect(await dumpEtcd(server.endpoint, "/many/")).toEqual(new Map());
});

test.each([
  [1_600_000, "it is larger than etcd's --max-request-bytes allows"],
  [3_000_000, "it is larger than etcd's gRPC server takes"],
])("a request of %i bytes is too large, and not for its operations", async (size, why) => {
  const operations = [create("/huge", "x".repeat(size))];
  const error = await failureOf(etcd.txn({ operations, preconditions: [] }));
  expect(error).toMatchObject({ code: "too-large", explanation: { why } });
});

test("a compacted revision is named", async () => {
  const old = await server.put("/compact", "1");
  await server.put("/compact", "2");
  const client = openClient(server.endpoint);
  await client.kv.compact({ revision: (old + 1n).toString() });
  client.close();
  expect(await failureOf(etcd.range({ key: "/compact", revision: old }))).toMatchObject({
    code: "compacted",
    explanation: {
      what: `etcd at ${server.clientUrl} did not serve a read of /compact`,
      why: "etcd has compacted the revision that the pages are read at",
      now: "nothing was written by this call",
      next: "run the command again: it reads at a newer revision",
    },
  });
});

test("proxy variables change nothing", async () => {
  for (const name of ["http_proxy", "https_proxy", "grpc_proxy"]) vi.stubEnv(name, "http://127.0.0.1:1");
  vi.stubEnv("NO_PROXY", "10.0.0.0/8");
  const other = openEtcd({ endpoint: server.clientUrl, dialTimeoutMs: 5000, commandTimeoutMs: 5000 });
  const { memberId } = await etcd.status();
  expect(await other.status()).toMatchObject({ memberId });
  other.close();
});

test.each([
  ["request", 0],
  ["answer", 1],
] as const)("a Txn whose %s is lost is in doubt, and never sent twice", async (direction, written) => {
  const cable = await layCable(server.clientUrl);
  const target = { endpoint: cable.endpoint, dialTimeoutMs: 5000, commandTimeoutMs: 5000 };
  const cut = openEtcd(target);
  await cut.range({ key: "/warm-up" });
  cable.cutAtNext(direction);
  const key = `/in-doubt/${direction}`;
  const error = await failureOf(cut.txn({ operations: [create(key, "1")], preconditions: [] }));
  expect(error).toMatchObject({
    code: "in-doubt",
    explanation: {
      what: `a Txn of 1 key was sent and not answered by etcd at ${cable.endpoint}`,
      now: "either all of its changes are in etcd or none is",
      next: "read its keys to see whether it was done",
    },
  });
  // What was sent may still be on its way through etcd.
  await expect.poll(async () => (await dumpEtcd(server.endpoint, key)).size).toBe(written);
  cut.close();
  cable.close();
});

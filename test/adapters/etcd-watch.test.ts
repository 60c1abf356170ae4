import { afterAll, beforeAll, expect, test } from "vitest";
import { openEtcd } from "../../src/adapters/etcd.js";
import type { Etcd } from "../../src/ports.js";
import { type EtcdServer, startEtcd } from "../harness/etcd.js";

let server: EtcdServer;
let etcd: Etcd;
beforeAll(async () => {
  server = await startEtcd();
  etcd = openEtcd({ endpoint: server.clientUrl, dialTimeoutMs: 5000, commandTimeoutMs: 300 });
});
afterAll(async () => {
  etcd.close();
  await server.stop();
});

/** The first key that is told. */
function first(prefix: string, from: bigint): { readonly key: Promise<string>; stop(): void } {
  let stop = () => {};
  const key = new Promise<string>((resolve) => {
    stop = etcd.watchPut(prefix, from, resolve);
  });
  return { key, stop };
}

test("tells of the first put at or after the revision, of what was put before the watch too", async () => {
  await server.put("/watched/a", "1");
  const revision = await server.put("/watched/b", "1");
  await server.put("/watched/c", "1");
  expect(await first("/watched/", revision).key).toBe("/watched/b");
});

test("keys outside the prefix and deletes do not count", async () => {
  const revision = await server.put("/there/gone", "1");
  const { key } = first("/there/", revision + 1n);
  await server.put("/thereabouts", "1");
  await server.put("/etcdcidr/lock", "1");
  const { keyValues } = await etcd.range({ key: "/there/gone" });
  const modRevision = keyValues[0]?.modRevision ?? 0n;
  const operations = [{ action: "delete", key: "/there/gone", modRevision }] as const;
  expect((await etcd.txn({ operations, preconditions: [] })).kind).toBe("committed");
  await server.put("/there/at-last", "1");
  expect(await key).toBe("/there/at-last");
});

test("tells once, and nothing when it was stopped", async () => {
  const told: string[] = [];
  const stopAll = etcd.watchPut("/once/", 1n, (key) => told.push(key));
  const stopped: string[] = [];
  etcd.watchPut("/once/", 1n, (key) => stopped.push(key))();
  await server.put("/once/1", "1");
  await server.put("/once/2", "1");
  await first("/once/", 1n).key;
  await server.put("/once/3", "1");
  await first("/once/", 1n).key;
  expect([told, stopped]).toEqual([["/once/1"], []]);
  stopAll();
});

test("an etcd that is gone tells nothing", async () => {
  const other = await startEtcd();
  const client = openEtcd({ endpoint: other.clientUrl, dialTimeoutMs: 1000, commandTimeoutMs: 1000 });
  await client.status();
  await other.stop();
  const stop = client.watchPut("/any/", 1n, () => expect.unreachable());
  await expect(client.status()).rejects.toMatchObject({ code: "unreachable" });
  stop();
  client.close();
});

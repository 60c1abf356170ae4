import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { afterEach, expect, test } from "vitest";
import { dumpEtcd, type EtcdServer, fillEtcd, startEtcd } from "./etcd.js";

const started: EtcdServer[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.stop()));
});

async function start(): Promise<EtcdServer> {
  const server = await startEtcd();
  started.push(server);
  return server;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("two servers live side by side and hold their own keys", async () => {
  const [one, other] = await Promise.all([start(), start()]);
  expect(await one.put("/registry/a", "1")).toBe(2n);
  expect(await one.put("/registry/a", Uint8Array.of(0, 255))).toBe(3n);
  expect(await dumpEtcd(one.endpoint)).toEqual(
    new Map([["/registry/a", { value: Buffer.from([0, 255]), modRevision: 3n, createRevision: 2n }]]),
  );
  expect(await dumpEtcd(other.clientUrl)).toEqual(new Map());
});

test("a fill is joined by count and by size, and a dump pages through all of it", async () => {
  const server = await start();
  const small = Array.from({ length: 1300 }, (_, i) => ({ key: `/s/${i}`, value: bytes(`v${i}`) }));
  const large = Array.from({ length: 3 }, (_, i) => ({ key: `/l/${i}`, value: new Uint8Array(700_000) }));
  await fillEtcd(server.endpoint, [...small, ...large]);
  const dump = await dumpEtcd(server.endpoint);
  expect(dump.size).toBe(1303);
  expect(dump.get("/s/1299")?.value).toEqual(Buffer.from("v1299"));
  // 1300 puts are 10 Txns of 128 and one of 20, which also takes the first large value; then one each.
  expect(dump.get("/s/128")?.modRevision).toBe(3n);
  expect(dump.get("/l/0")?.modRevision).toBe(12n);
  expect(dump.get("/l/2")?.modRevision).toBe(14n);
  expect([...(await dumpEtcd(server.endpoint, "/l/")).keys()]).toEqual(["/l/0", "/l/1", "/l/2"]);
});

test("stop ends a frozen server and leaves no folder", async () => {
  const server = await start();
  server.kill("SIGSTOP");
  await server.stop();
  expect(() => process.kill(server.pid, 0)).toThrow("ESRCH");
  expect(existsSync(dirname(server.dataDir))).toBe(false);
});

test("a server that cannot start is reported with its log", async () => {
  await expect(startEtcd({ flags: ["--no-such-flag"] })).rejects.toThrow(/no-such-flag/);
});

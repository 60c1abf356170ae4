import { existsSync, readdirSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { LOCK_KEY } from "../../src/plan/lock-holder.js";
import { CHANGE, changesIn, forgetOwnKeys, openScene, ownKeys } from "../crash/scene.js";
import { type EtcdServer, openClient, startEtcd } from "../harness/etcd.js";

let server: EtcdServer;
beforeAll(async () => {
  server = await startEtcd();
});
afterAll(() => server.stop());
beforeEach(() => forgetOwnKeys(server.endpoint));

async function revision(): Promise<string> {
  const client = openClient(server.endpoint);
  const { header } = await client.maintenance.status();
  client.close();
  return header.revision;
}

describe.each(["batches", "in flight"] as const)("a run, %s", (kind) => {
  test("compares the lock in every Txn, that of its record too; afterwards the lock is gone and the record closed", async () => {
    const { run, directory, cluster } = await openScene(server.endpoint, kind, 140);
    const { exitCode, txns } = await run(CHANGE);
    expect(exitCode).toBe(0);
    const [locking, ...others] = txns;
    expect(locking?.operations.map(({ key }) => key)).toEqual([LOCK_KEY]);
    const written = others.flatMap(({ operations }) => operations.map(({ key }) => key));
    expect(written.filter((key) => key.startsWith(`${cluster.prefix}/minions/`))).toHaveLength(140);
    const revisions = new Set(
      others.flatMap(({ preconditions }) => preconditions.map(({ modRevision }) => modRevision)),
    );
    expect(others.map(({ preconditions }) => preconditions.map(({ key }) => key))).toEqual(
      others.map(() => [LOCK_KEY]),
    );
    expect(revisions.size).toBe(1);
    const [id = ""] = changesIn(directory);
    expect(await ownKeys(server.endpoint)).toMatchObject({ [`/etcdcidr/changes/${id}`]: { state: "done" } });
    expect(Object.keys(await ownKeys(server.endpoint))).toHaveLength(1);
  });
});

test.each<{ run: string; argv: readonly string[]; exitCode: number }>([
  { run: "a dry run", argv: [...CHANGE, "--dry-run"], exitCode: 0 },
  { run: "a blocked run", argv: ["change-pod-cidr", "10.112.0.0/26", "--yes"], exitCode: 3 },
  { run: "a declined run", argv: CHANGE.filter((arg) => arg !== "--yes"), exitCode: 2 },
  { run: "a run with nothing to do", argv: [...CHANGE.with(1, "10.112.0.0/16")], exitCode: 0 },
  { run: "changes", argv: ["changes"], exitCode: 0 },
  { run: "resume", argv: ["resume", "--yes"], exitCode: 0 },
  { run: "rollback", argv: ["rollback", "--yes"], exitCode: 0 },
  { run: "uninstall-records", argv: ["uninstall-records", "--yes"], exitCode: 0 },
])("$run writes no key and leaves no file", async ({ argv, exitCode }) => {
  const { run, directory } = await openScene(server.endpoint, "batches", 10);
  const before = await revision();
  const journals = `${directory}/state`;
  const lived = await run([...argv, "--journal-dir", journals]);
  expect(lived.err).not.toContain("internal");
  expect(lived.exitCode).toBe(exitCode);
  expect(await revision()).toBe(before);
  expect([readdirSync(directory), existsSync(journals)]).toEqual([[], false]);
});

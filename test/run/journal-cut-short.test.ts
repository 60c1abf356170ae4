import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { forget, loadRegistry, stoppedCluster } from "../harness/cluster.js";
import { dumpEtcd, type EtcdServer, startEtcd } from "../harness/etcd.js";
import { temporaryFolder } from "../harness/folder.js";
import { commandsOver } from "./round-trip.js";

let server: EtcdServer;
beforeAll(async () => {
  server = await startEtcd();
});
afterAll(() => server.stop());

const CHANGE = ["change-pod-cidr", "10.212.0.0/16", "--node-cidr-mask-size", "22"];

/** A change that is done, with its journal's file. */
async function done(directory = temporaryFolder()) {
  await forget(server.endpoint);
  const cluster = await loadRegistry(server.endpoint, stoppedCluster("v1.36-single"));
  const run = commandsOver(cluster, directory);
  expect((await run(...CHANGE)).exitCode).toBe(0);
  const [id = ""] = readdirSync(directory);
  return { cluster, run, id, directory, file: join(directory, id, "journal.jsonl") };
}

test.each([
  ["before anything was sent", (file: string) => truncateSync(file, 5000), "is cut short"],
  [
    "in its last lines",
    (file: string) => truncateSync(file, readFileSync(file).length - 200),
    "is cut short",
  ],
  ["to nothing", (file: string) => truncateSync(file, 0), "is gone"],
  ["away", (file: string) => rmSync(file), "is gone"],
])("a journal that is cut %s does not deny what etcd records", async (_where, cut, what) => {
  const { run, id, file, directory } = await done();
  cut(file);
  for (const command of [["rollback"], ["rollback", id], ["rollback", "--dry-run"]]) {
    const { err, exitCode } = await run(...command);
    expect([exitCode, err]).toEqual([
      3,
      expect.stringContaining(`error[journal-damaged]: the journal of ${id} ${what}\n`),
    ]);
    expect(err).toContain("etcd records the change as done, 5 of 5 Nodes written, and ");
    expect(err).toContain(`next: move ${join(directory, id)} away, and bring the journal back from a copy`);
  }
  expect((await run("changes")).out).toMatch(new RegExp(`${id} .* done +5 `));
});

test("a later change with its journal in another directory has to be rolled back first, and the command that is named does it", async () => {
  const { cluster, run, id } = await done();
  const other = temporaryFolder();
  const later = commandsOver(cluster, other);
  expect((await later("change-pod-cidr", "10.213.0.0/16", "--node-cidr-mask-size", "22")).exitCode).toBe(0);
  const [laterId = ""] = readdirSync(other);
  const { err, exitCode } = await run("rollback");
  expect([exitCode, err]).toEqual([3, expect.stringContaining(`error[blocked]: cannot roll back ${id}\n`)]);
  expect(err).toContain(
    `next: roll that back first: run \`etcdcidr rollback ${laterId} --journal-dir ${other}\``,
  );
  expect((await later("rollback", laterId)).exitCode).toBe(0);
  expect((await run("rollback")).exitCode).toBe(0);
});

test("a relative --journal-dir is recorded as the whole path", async () => {
  const directory = temporaryFolder();
  const { id } = await done(relative(process.cwd(), directory));
  const [record] = (await dumpEtcd(server.endpoint, `/etcdcidr/changes/${id}`)).values();
  expect(JSON.parse(Buffer.from(record?.value ?? []).toString("utf8"))).toMatchObject({
    journal: join(directory, id),
  });
});

test("what was confirmed and never begun is closed by the next change, and not gone on with after it", async () => {
  const { run, id, file } = await done();
  // As a kill before the first Txn leaves it: the originals are on disk, and nothing is written.
  const lines = readFileSync(file, "utf8").split("\n");
  const ready = lines.findIndex((line) => line.includes('"type":"ready"'));
  writeFileSync(file, `${lines.slice(0, ready + 1).join("\n")}\n`);
  await forget(server.endpoint);
  await loadRegistry(server.endpoint, stoppedCluster("v1.36-single"));
  expect((await run("changes")).out).toMatch(new RegExp(`${id} .* not-begun `));
  expect((await run("change-pod-cidr", "10.213.0.0/16", "--node-cidr-mask-size", "22")).exitCode).toBe(0);
  expect((await run("changes")).out).toMatch(new RegExp(`${id} .* not-written `));
  expect((await run("rollback")).exitCode).toBe(0);
  const { err, exitCode } = await run("resume");
  expect([exitCode, err]).toEqual([0, expect.stringContaining("nothing to resume: ")]);
});

import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { archiveData } from "../../src/adapters/archive-data.js";
import { inspectDataDirectory } from "../../src/adapters/data-directory.js";
import { openEtcdMembers } from "../../src/adapters/etcd-members.js";
import { findLocalProcess } from "../../src/adapters/local-process.js";
import { readWalIdentity } from "../../src/adapters/wal-head.js";
import { type EtcdServer, startEtcd } from "../harness/etcd.js";
import { canMount, smallDisk, temporaryFolder } from "../harness/folder.js";

let server: EtcdServer;
let identity: { readonly memberId: bigint; readonly clusterId: bigint };
let head: Buffer;
beforeAll(async () => {
  server = await startEtcd();
  const etcd = openEtcdMembers({ endpoint: server.clientUrl, dialTimeoutMs: 2000, commandTimeoutMs: 5000 });
  const { memberId, clusterId } = await etcd.status();
  etcd.close();
  identity = { memberId, clusterId };
  const wal = join(server.dataDir, "member", "wal");
  const [first = ""] = readdirSync(wal).filter((name) => name.endsWith(".wal"));
  head = readFileSync(join(wal, first)).subarray(0, 4096);
});
afterAll(() => server.stop());

/** A data directory with a log that begins so. */
function dataWith(bytes: Uint8Array): string {
  const dataDir = join(temporaryFolder(), "data");
  mkdirSync(join(dataDir, "member", "wal"), { recursive: true });
  mkdirSync(join(dataDir, "member", "snap"));
  writeFileSync(join(dataDir, "member", "wal", "0000000000000000-0000000000000000.wal"), bytes);
  writeFileSync(join(dataDir, "member", "snap", "db"), "db");
  return dataDir;
}

describe("a data directory", () => {
  test("of a running etcd has its ids", async () => {
    expect(await inspectDataDirectory({ dataDir: server.dataDir })).toEqual({ kind: "wal", ...identity });
  });

  test("with a log elsewhere has them too", async () => {
    const walDir = join(temporaryFolder(), "wal");
    const dataDir = dataWith(head);
    renameSync(join(dataDir, "member", "wal"), walDir);
    expect(await inspectDataDirectory({ dataDir, walDir })).toEqual({ kind: "wal", ...identity });
    expect(await inspectDataDirectory({ dataDir })).toMatchObject({ kind: "odd", oddity: "no-wal" });
  });

  test("that is not there, or has nothing but prepared directories, is empty", async () => {
    const dataDir = join(temporaryFolder(), "data");
    expect(await inspectDataDirectory({ dataDir })).toEqual({ kind: "empty" });
    for (const name of ["wal", "snap"]) mkdirSync(join(dataDir, "member", name), { recursive: true });
    writeFileSync(join(dataDir, "member", "wal", "0.tmp"), head);
    expect(await inspectDataDirectory({ dataDir })).toEqual({ kind: "empty" });
  });

  test("whose log is none is odd", async () => {
    const dataDir = dataWith(Buffer.alloc(4096, 1));
    expect(await inspectDataDirectory({ dataDir })).toMatchObject({ kind: "odd", oddity: "no-wal" });
  });

  test("that is a link, or a file, is odd", async () => {
    const folder = temporaryFolder();
    symlinkSync(server.dataDir, join(folder, "link"));
    writeFileSync(join(folder, "file"), "");
    const found = await Promise.all(
      ["link", "file"].map((name) => inspectDataDirectory({ dataDir: join(folder, name) })),
    );
    expect(found).toMatchObject([
      { kind: "odd", oddity: "symlink" },
      { kind: "odd", oddity: "unreadable" },
    ]);
  });
});

test.each([
  ["is cut off", () => head.subarray(0, 20)],
  ["is empty", () => Buffer.alloc(0)],
  ["is zeros", () => Buffer.alloc(4096)],
  ["has another first record", () => Buffer.concat([head.subarray(16), head])],
  [
    "has a number without end",
    () => Buffer.concat([Buffer.from([20, 0, 0, 0, 0, 0, 0, 0]), Buffer.alloc(40, 0xff)]),
  ],
])("a log whose head %s tells no ids", (_what, bytes) => {
  expect(readWalIdentity(bytes())).toBeUndefined();
});

describe("data are moved aside", () => {
  test("beside their directory", async () => {
    const dataDir = dataWith(head);
    expect(await archiveData({ dataDir }, "now-1")).toEqual([`${dataDir}-etcdcidr-now-1/member`]);
    expect(readdirSync(dataDir)).toEqual([]);
    expect(readFileSync(join(`${dataDir}-etcdcidr-now-1`, "member", "snap", "db"), "utf8")).toBe("db");
    expect(await inspectDataDirectory({ dataDir })).toEqual({ kind: "empty" });
  });

  test("with a log that lies elsewhere", async () => {
    const dataDir = dataWith(head);
    const walDir = join(temporaryFolder(), "wal");
    renameSync(join(dataDir, "member", "wal"), walDir);
    const archives = await archiveData({ dataDir, walDir }, "now-1");
    expect(archives).toEqual([`${dataDir}-etcdcidr-now-1/member`, `${walDir}-etcdcidr-now-1`]);
    expect(readdirSync(`${walDir}-etcdcidr-now-1`)).toEqual(["0000000000000000-0000000000000000.wal"]);
    expect(await inspectDataDirectory({ dataDir, walDir })).toEqual({ kind: "empty" });
  });

  test.runIf(canMount)("inside a directory that is a mount point", async () => {
    const disk = smallDisk(256 * 1024);
    mkdirSync(join(disk, "member", "wal"), { recursive: true });
    expect(await archiveData({ dataDir: disk }, "now-1")).toEqual([
      join(disk, "etcdcidr-archive-now-1", "member"),
    ]);
    expect(readdirSync(disk)).toEqual(["etcdcidr-archive-now-1"]);
  });

  test("where there are any", async () => {
    const dataDir = dataWith(head);
    await archiveData({ dataDir }, "now-1");
    expect(await archiveData({ dataDir }, "now-2")).toEqual([]);
  });

  test("or nothing is, and it is said why", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "data", "member"), { recursive: true });
    writeFileSync(join(folder, "data-etcdcidr-now-1"), "in the way");
    await expect(archiveData({ dataDir: join(folder, "data") }, "now-1")).rejects.toMatchObject({
      code: "stopped",
      explanation: { now: "the data are where they were" },
    });
    expect(readdirSync(join(folder, "data"))).toEqual(["member"]);
  });
});

describe("etcd runs here", () => {
  const nobody = "http://127.0.0.1:1";

  test("when something listens on its URL", async () => {
    const found = await findLocalProcess([nobody, server.clientUrl], { dataDir: "/nonexistent" });
    expect(found).toEqual({ isRunning: true, why: `something listens on ${server.clientUrl}` });
  });

  test("when its data are open", async () => {
    const found = await findLocalProcess([nobody], { dataDir: server.dataDir });
    expect(found.isRunning).toBe(true);
    expect(found.why).toContain(`process ${server.pid} has ${server.dataDir}/`);
  });

  test("not otherwise", async () => {
    const found = await findLocalProcess([nobody], { dataDir: dataWith(head) });
    expect(found).toEqual({ isRunning: false, why: "" });
  });
});

import { createHash } from "node:crypto";
import { copyFileSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type CliOptions, runCli } from "../harness/cli.js";
import { loadRegistry, stoppedCluster } from "../harness/cluster.js";
import { type EtcdServer, openClient, startEtcd } from "../harness/etcd.js";
import { canMount, smallDisk, temporaryFolder } from "../harness/folder.js";
import { runProcess } from "../harness/process.js";

let server: EtcdServer;
beforeAll(async () => {
  server = await startEtcd();
  await server.put("/registry/a", "a");
});
afterAll(() => server.stop());

function run(line: string, options?: CliOptions) {
  return runCli([...line.split(" "), "--endpoints", server.endpoint], options);
}

async function saved(): Promise<{ readonly folder: string; readonly file: string }> {
  const folder = temporaryFolder();
  const file = join(folder, "etcd.snapshot");
  expect((await run(`snapshot save ${file}`)).exitCode).toBe(0);
  return { folder, file };
}

const status = (file: string) => runCli(["snapshot", "status", file, "-o", "json"]);

describe("a saved snapshot", () => {
  test("ends with the SHA-256 of the rest, and its revision is etcd's", async () => {
    const revision = await server.put("/last", "one");
    const { folder, file } = await saved();
    const bytes = readFileSync(file);
    const sha256 = createHash("sha256").update(bytes.subarray(0, -32)).digest("hex");
    expect(bytes.subarray(-32).toString("hex")).toBe(sha256);
    const { out, exitCode } = await status(file);
    expect(exitCode).toBe(0);
    expect(JSON.parse(out)).toEqual({ path: file, bytes: bytes.length, sha256, revision: String(revision) });
    expect(readdirSync(folder)).toEqual(["etcd.snapshot"]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("of an etcd without keys is at revision 1", async () => {
    const empty = await startEtcd();
    const file = join(temporaryFolder(), "empty.snapshot");
    const { out } = await runCli(["snapshot", "save", file, "-o", "json", "--endpoints", empty.endpoint]);
    await empty.stop();
    expect(JSON.parse(out).revision).toBe("1");
  });

  test("of a database with branch pages is read to its last key", async () => {
    const large = await startEtcd();
    for (let count = 0; count < 40; count++) await large.put(`/large/${count}`, Buffer.alloc(60_000, count));
    const revision = await large.put("/large/last", "x");
    const file = join(temporaryFolder(), "large.snapshot");
    const { err } = await runCli(["snapshot", "save", file, "--endpoints", large.endpoint]);
    await large.stop();
    expect(err).toMatch(/^snapshot: [\d.]+ MB of [\d.]+ MB$/m);
    expect(JSON.parse((await status(file)).out).revision).toBe(String(revision));
  });
});

describe("a file is refused", () => {
  test.each([
    ["one byte altered", (bytes: Buffer) => bytes.fill(bytes.readUInt8(5000) ^ 1, 5000, 5001)],
    ["its end cut off", (bytes: Buffer) => bytes.subarray(0, -1)],
    ["a page cut out", (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 4096), bytes.subarray(8192)])],
    ["nothing in it", () => Buffer.alloc(0)],
    ["something behind it", (bytes: Buffer) => Buffer.concat([bytes, Buffer.from("x")])],
  ])("with %s", async (_what, alter) => {
    const { file } = await saved();
    writeFileSync(file, alter(readFileSync(file)));
    const { err, exitCode } = await status(file);
    expect(exitCode).toBe(3);
    expect(err).toContain(`error[snapshot-damaged]: ${file} is no whole snapshot\n`);
  });

  test("that is a copy of the database", async () => {
    const { folder, file } = await saved();
    truncateSync(file, statSync(file).size - 32);
    copyFileSync(file, join(folder, "db"));
    const { err } = await status(join(folder, "db"));
    expect(err).toContain(
      "why:  it has no checksum at its end: it is cut off, or a copy of a data directory's",
    );
  });

  test("whose checksum is right and whose content is no database", async () => {
    const file = join(temporaryFolder(), "text.snapshot");
    const text = Buffer.alloc(512, "no database ");
    writeFileSync(file, Buffer.concat([text, createHash("sha256").update(text).digest()]));
    const { err, exitCode } = await status(file);
    expect(exitCode).toBe(3);
    expect(err).toContain("why:  its database cannot be read: it is no bbolt database\n");
  });

  test("that is not there, or is a directory", async () => {
    expect((await status(join(temporaryFolder(), "none"))).exitCode).toBe(1);
    const folder = temporaryFolder();
    const { err, exitCode } = await status(folder);
    expect([exitCode, err]).toEqual([
      1,
      expect.stringContaining(`error[not-found]: cannot read ${folder}\n  why:  EISDIR: `),
    ]);
  });
});

describe("nothing is left", () => {
  test("where a file is there already, which stays", async () => {
    const { file } = await saved();
    writeFileSync(file, "precious");
    const { err, exitCode } = await run(`snapshot save ${file}`);
    expect(exitCode).toBe(3);
    expect(err).toContain(`error[refused]: will not write over ${file}\n`);
    expect(readFileSync(file, "utf8")).toBe("precious");
  });

  test.runIf(canMount)("where the disk is full", async () => {
    const folder = smallDisk(16 * 1024);
    const { err, exitCode } = await run(`snapshot save ${join(folder, "etcd.snapshot")}`);
    expect(exitCode).toBe(3);
    expect(err).toContain("why:  ENOSPC");
    expect(readdirSync(folder)).toEqual([]);
  });

  test.runIf(canMount)("nor does the process stay, however much the member has still to send", async () => {
    const large = await startEtcd();
    onTestFinished(() => large.stop());
    for (let index = 0; index < 16; index += 1)
      await large.put(`/large/${index}`, Buffer.alloc(1_000_000, index));
    const path = join(smallDisk(256 * 1024), "etcd.snapshot");
    const { stderr, exitCode } = runProcess(["snapshot", "save", path, "--endpoints", large.endpoint]);
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining("why:  ENOSPC")]);
  });

  test("where the user may not", async () => {
    const auth = await startEtcd();
    const admin = openClient(auth.endpoint);
    for (const name of ["root", "reader"]) await admin.auth.userAdd({ name, password: "secret" });
    await admin.auth.userGrantRole({ user: "root", role: "root" });
    await admin.auth.roleAdd({ name: "reader" });
    const all = { key: Buffer.from([0]), range_end: Buffer.from([0]) };
    await admin.auth.roleGrantPermission({ name: "reader", perm: { permType: "Readwrite", ...all } });
    await admin.auth.userGrantRole({ user: "reader", role: "reader" });
    await admin.auth.authEnable();
    admin.close();
    const folder = temporaryFolder();
    const save = (name: string, user: string) =>
      runCli(["snapshot", "save", join(folder, name), "--endpoints", auth.endpoint, "--user", user]);
    const refused = await save("a", "reader:secret");
    expect(refused.exitCode).toBe(3);
    expect(refused.err).toContain("error[authentication]");
    expect(readdirSync(folder)).toEqual([]);
    expect((await save("b", "root:secret")).exitCode).toBe(0);
    await auth.stop();
  });
});

test("without save or status the command line is not understood", async () => {
  const { err, exitCode } = await runCli(["snapshot"]);
  expect(exitCode).toBe(2);
  expect(err).toContain("why:  save or status is expected\n");
});

describe("change-pod-cidr --snapshot", () => {
  const change = "change-pod-cidr 10.212.0.0/16 --node-cidr-mask-size 22 --yes";

  test("saves one before the first write", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "before.snapshot");
    await loadRegistry(server.endpoint, stoppedCluster("v1.36-single"));
    const before = await server.put("/before", "x");
    const { err, exitCode } = await run(
      `${change} --snapshot ${file} --journal-dir ${join(folder, "journals")}`,
    );
    expect(exitCode).toBe(0);
    expect(err).toContain(`snapshot  ${file}\n`);
    expect(JSON.parse((await status(file)).out).revision).toBe(String(before));
  });

  test("writes nothing where the file is there already", async () => {
    const { folder, file } = await saved();
    const before = await server.put("/before", "x");
    const { exitCode } = await run(
      `${change.replace("10.212", "10.213")} --snapshot ${file} --journal-dir ${join(folder, "journals")}`,
    );
    expect(exitCode).toBe(3);
    expect(await server.put("/after", "x")).toBe(before + 1n);
  });
});

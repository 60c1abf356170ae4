import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { openSpool } from "../../src/adapters/spool-file.js";
import { canMount, smallDisk, temporaryFolder } from "../harness/folder.js";

afterEach(() => {
  vi.unstubAllEnvs();
});

test("gives back the bytes that were added, by key and in any order", async () => {
  const spool = await openSpool();
  const values = Array.from({ length: 300 }, (_empty, index) => Buffer.alloc(8000, index % 251));
  for (const [index, value] of values.entries()) await spool.add(`/registry/minions/n${index}`, value);
  const read = await spool.read(["/registry/minions/n299", "/registry/minions/n0", "/absent"]);
  expect([...read.keys()]).toEqual(["/registry/minions/n299", "/registry/minions/n0"]);
  expect(read.get("/registry/minions/n299")).toEqual(values[299]);
  expect(read.get("/registry/minions/n0")).toEqual(values[0]);
  await spool.add("/later", Buffer.from("x"));
  expect((await spool.read(["/later"])).get("/later")).toEqual(Buffer.from("x"));
  await spool.close();
});

test("has no name in the file system, so that nothing stays behind whatever happens", async () => {
  const folder = temporaryFolder();
  vi.stubEnv("TMPDIR", folder);
  const spool = await openSpool();
  await spool.add("key", Buffer.alloc(2 << 20));
  expect(readdirSync(folder)).toEqual([]);
  await spool.close();
});

test("says which directory it cannot use", async () => {
  const folder = temporaryFolder();
  const absent = join(folder, "absent");
  vi.stubEnv("TMPDIR", absent);
  await expect(openSpool()).rejects.toMatchObject({
    code: "refused",
    explanation: {
      what: `cannot keep what is read in ${absent}`,
      why: expect.stringMatching(/^ENOENT: no such file or directory, mkdtemp /),
      now: "nothing was written",
      next: "make room there, or set TMPDIR to another directory",
    },
  });
  mkdirSync(absent);
  await (await openSpool()).close();
});

test.skipIf(!canMount)("says when its disk is full", async () => {
  const disk = smallDisk(64 * 1024);
  writeFileSync(join(disk, "other"), Buffer.alloc(32 * 1024));
  vi.stubEnv("TMPDIR", disk);
  const spool = await openSpool();
  await spool.add("key", Buffer.alloc(48 * 1024));
  await expect(spool.read(["key"])).rejects.toMatchObject({
    code: "refused",
    explanation: { why: "ENOSPC: no space left on device, write" },
  });
  await spool.close();
});

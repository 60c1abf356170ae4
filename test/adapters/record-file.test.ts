import { type FileHandle, open, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createRecordFile, type RecordFile, reopenRecordFile } from "../../src/adapters/record-file.js";
import { canMount, smallDisk, temporaryFolder } from "../harness/folder.js";

async function recordFile(folder = temporaryFolder()): Promise<{ path: string; file: RecordFile }> {
  const path = join(folder, "records");
  return { path, file: await createRecordFile(path) };
}

/** What every open file's method does from now on, and how often it was called. */
async function spyOnFiles(method: "datasync" | "writev") {
  const handle = await open(join(temporaryFolder(), "any"), "w");
  const spy = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, method);
  await handle.close();
  onTestFinished(() => spy.mockRestore());
  return spy;
}

test("is readable by its owner alone, and must not be there before", async () => {
  const { path, file } = await recordFile();
  await file.close();
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await expect(createRecordFile(path)).rejects.toMatchObject({ code: "EEXIST" });
});

test("texts are written in the order in which they were appended, however many syncs run at once", async () => {
  const { path, file } = await recordFile();
  const syncs = Array.from({ length: 200 }, (_empty, index) => {
    file.append(Buffer.from(`${index}\n`));
    return file.sync();
  });
  await Promise.all(syncs);
  await file.close();
  const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
  expect(lines).toEqual(Array.from({ length: 200 }, (_empty, index) => String(index)));
});

test("a sync returns when what was appended before it is in the file, and is on disk", async () => {
  const { path, file } = await recordFile();
  const datasync = await spyOnFiles("datasync");
  file.append(Buffer.from("one\n"));
  const first = file.sync();
  file.append(Buffer.from("two\n"));
  const second = file.sync();
  await second;
  expect(await readFile(path, "utf8")).toBe("one\ntwo\n");
  await first;
  // The two came while none was under way, so one fsync served both.
  expect(datasync).toHaveBeenCalledTimes(1);
  file.append(Buffer.from("three\n"));
  await file.sync();
  expect(datasync).toHaveBeenCalledTimes(2);
  await file.close();
});

test("after a failed fsync nothing is reported as written any more", async () => {
  const { file } = await recordFile();
  const datasync = await spyOnFiles("datasync");
  datasync.mockRejectedValueOnce(new Error("EIO: i/o error, fdatasync"));
  file.append(Buffer.from("one\n"));
  await expect(file.sync()).rejects.toThrow("EIO");
  file.append(Buffer.from("two\n"));
  await expect(file.sync()).rejects.toThrow("EIO");
  await expect(file.flush()).rejects.toThrow("EIO");
  await expect(file.close()).rejects.toThrow("EIO");
});

test("after a failed write nothing is written any more, so that only the last line can be torn", async () => {
  const { path, file } = await recordFile();
  file.append(Buffer.from("one\n"));
  await file.sync();
  const writev = await spyOnFiles("writev");
  writev.mockRejectedValueOnce(new Error("ENOSPC: no space left on device, writev"));
  file.append(Buffer.from("two\n"));
  await expect(file.sync()).rejects.toThrow("ENOSPC");
  file.append(Buffer.from("three\n"));
  await expect(file.sync()).rejects.toThrow("ENOSPC");
  expect(await readFile(path, "utf8")).toBe("one\n");
  await expect(file.close()).rejects.toThrow("ENOSPC");
});

test.skipIf(!canMount)("a disk that becomes full is reported by flush and by sync", async () => {
  const { path, file } = await recordFile(smallDisk(64 * 1024));
  file.append(Buffer.from("a line that fits\n"));
  await file.sync();
  file.append(Buffer.from("x".repeat(100_000)));
  await expect(file.flush()).rejects.toMatchObject({ code: "ENOSPC" });
  await expect(file.sync()).rejects.toMatchObject({ code: "ENOSPC" });
  expect((await readFile(path, "utf8")).slice(0, 18)).toBe("a line that fits\nx");
  await expect(file.close()).rejects.toMatchObject({ code: "ENOSPC" });
});

test("goes on after what is kept of an older file", async () => {
  const { path, file } = await recordFile();
  file.append(Buffer.from("one\ntorn"));
  await file.sync();
  await file.close();
  const again = await reopenRecordFile(path, 4);
  again.append(Buffer.from("two\n"));
  await again.sync();
  await again.close();
  expect(await readFile(path, "utf8")).toBe("one\ntwo\n");
});

import { type FileHandle, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { writeAll } from "../../src/adapters/write-all.js";
import { temporaryFolder } from "../harness/folder.js";

async function openFile(text: string): Promise<{ path: string; handle: FileHandle }> {
  const path = join(temporaryFolder(), "file");
  const handle = await open(path, "wx+");
  await handle.write(text);
  onTestFinished(() => handle.close());
  return { path, handle };
}

const pieces = (...texts: readonly string[]) => texts.map((text) => Buffer.from(text));

test("puts the pieces one behind the other at the position and says how long they are", async () => {
  const { path, handle } = await openFile("0123456789");
  expect(await writeAll(handle, pieces("ab", "", "cde"), 3)).toBe(5);
  expect(await readFile(path, "utf8")).toBe("012abcde89");
});

test("more pieces than one system call takes", async () => {
  const { path, handle } = await openFile("");
  const texts = Array.from({ length: 5000 }, (_empty, index) => `${index} `);
  await writeAll(handle, pieces(...texts), 0);
  expect(await readFile(path, "utf8")).toBe(texts.join(""));
});

test("nothing to write is no call", async () => {
  const { handle } = await openFile("");
  const writev = vi.spyOn(handle, "writev");
  expect(await writeAll(handle, [], 7)).toBe(0);
  expect(writev).not.toHaveBeenCalled();
});

test.each([1, 2, 3, 4, 5, 6])("a call that takes %i bytes at most is followed by the rest", async (most) => {
  const { path, handle } = await openFile("");
  const whole = handle.writev.bind(handle);
  vi.spyOn(handle, "writev").mockImplementation(async (buffers, position) => {
    const bytes = Buffer.concat(buffers as readonly Uint8Array[]).subarray(0, most);
    return whole([bytes] as never, position) as never;
  });
  await writeAll(handle, pieces("ab", "cde", "f"), 0);
  expect(await readFile(path, "utf8")).toBe("abcdef");
});

import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readTextFile, writePrivateFile } from "../../src/adapters/text-file.js";
import { temporaryFolder } from "../harness/folder.js";

test("a file is replaced, and readable by its owner alone even where it was not before", async () => {
  const path = join(temporaryFolder(), "plan.json");
  await writePrivateFile(path, "first, longer");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const open = join(temporaryFolder(), "open.json");
  writeFileSync(open, "anybody's", { mode: 0o644 });
  await writePrivateFile(open, "mine");
  expect(statSync(open).mode & 0o777).toBe(0o600);
  expect(readFileSync(open, "utf8")).toBe("mine");
  await writePrivateFile(path, "short");
  expect(await readTextFile(path)).toBe("short");
});

test("says which file cannot be read or written", async () => {
  const folder = temporaryFolder();
  await expect(readTextFile(join(folder, "absent"))).rejects.toMatchObject({
    code: "not-found",
    explanation: { what: `cannot read ${join(folder, "absent")}`, now: "nothing was written" },
  });
  mkdirSync(join(folder, "plan.json"));
  await expect(writePrivateFile(join(folder, "plan.json"), "x")).rejects.toMatchObject({
    code: "refused",
    explanation: {
      what: `cannot write ${join(folder, "plan.json")}`,
      why: expect.stringMatching(/^EISDIR/),
      next: "check the path",
    },
  });
});

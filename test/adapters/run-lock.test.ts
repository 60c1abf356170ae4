import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { thisHost } from "../../src/adapters/host.js";
import { lockRuns } from "../../src/adapters/run-lock.js";
import { temporaryFolder } from "../harness/folder.js";

const host = thisHost();

function lockPath(): string {
  return join(temporaryFolder(), "journals", "lock");
}

test("a second run is refused while the first lives, and taken when it has let go", async () => {
  const path = lockPath();
  const letGo = await lockRuns(path, host);
  await expect(lockRuns(path, host)).rejects.toMatchObject({
    code: "refused",
    explanation: { why: `process ${host.pid} of ${host.user} holds ${path}` },
  });
  await letGo();
  expect(existsSync(path)).toBe(false);
  await (await lockRuns(path, host))();
});

test.each([
  ["a process that is gone", JSON.stringify({ pid: host.pid, bootId: host.bootId, user: "root" }), false],
  ["a boot before this one", JSON.stringify({ pid: host.pid, bootId: "another", user: "root" }), true],
  ["a run that was killed while it wrote", "{", true],
])("what %s has left is taken over", async (_what, text, isAlive) => {
  const path = join(temporaryFolder(), "lock");
  writeFileSync(path, text);
  await (await lockRuns(path, { ...host, isAlive: () => isAlive }))();
  expect(existsSync(path)).toBe(false);
});

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { saveSnapshot } from "../../src/adapters/snapshot-save.js";
import { startEtcd } from "../harness/etcd.js";
import { temporaryFolder } from "../harness/folder.js";
import { freeze } from "../harness/freeze.js";

test("of a member that sends nothing the wait has an end, and no file is left", async () => {
  const server = await startEtcd();
  await freeze(server);
  const folder = temporaryFolder();
  const path = join(folder, "etcd.snapshot");
  const target = { endpoint: server.clientUrl, dialTimeoutMs: 200, commandTimeoutMs: 200 };
  await expect(saveSnapshot(target, path, () => undefined)).rejects.toMatchObject({
    code: "unreachable",
    explanation: {
      what: `no whole snapshot for ${path} was received`,
      why: "after 0 bytes nothing more came within 0.2s",
    },
  });
  expect(readdirSync(folder)).toEqual([]);
  await server.stop();
});

test("of nobody the endpoint's own error is thrown", async () => {
  const folder = temporaryFolder();
  const target = { endpoint: "http://127.0.0.1:1", dialTimeoutMs: 200, commandTimeoutMs: 2000 };
  await expect(saveSnapshot(target, join(folder, "a"), () => undefined)).rejects.toMatchObject({
    code: "unreachable",
    explanation: { why: "connection refused: nothing listens there" },
  });
  expect(readdirSync(folder)).toEqual([]);
});

import { homedir } from "node:os";
import { afterEach, expect, test, vi } from "vitest";
import { defaultJournalDirectory, thisHost } from "../../src/adapters/host.js";

afterEach(() => {
  vi.restoreAllMocks();
});

function runAs(uid: number): void {
  vi.spyOn(process as { getuid: () => number }, "getuid").mockReturnValue(uid);
}

test("root keeps journals in /var/lib, whatever the environment says", () => {
  runAs(0);
  expect(defaultJournalDirectory({ XDG_STATE_HOME: "/state" })).toBe("/var/lib/etcdcidr");
});

test("others keep them in the XDG state directory", () => {
  runAs(1000);
  expect(defaultJournalDirectory({ XDG_STATE_HOME: "/state" })).toBe("/state/etcdcidr");
  expect(defaultJournalDirectory({ XDG_STATE_HOME: "" })).toBe(`${homedir()}/.local/state/etcdcidr`);
  expect(defaultJournalDirectory({})).toBe(`${homedir()}/.local/state/etcdcidr`);
});

test("this process lives, and is named", () => {
  const host = thisHost();
  expect(host.pid).toBe(process.pid);
  expect(host.isAlive(process.pid)).toBe(true);
  expect(host.user).not.toBe("");
  expect(host.name).not.toBe("");
});

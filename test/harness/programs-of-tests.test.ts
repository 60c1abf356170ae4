import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { missingTools } from "../../scripts/control-plane/of-test.mjs";
import { temporaryFolder } from "./folder.js";

const ON_KINE = "test/conformance/kine-kubernetes-1.36.go.test.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
  vi.stubEnv("PATH", join(folder, "bin"));
  vi.stubEnv("XDG_CACHE_HOME", folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

function tool(name: string): void {
  mkdirSync(join(folder, "bin"), { recursive: true });
  writeFileSync(join(folder, "bin", name), "#!/bin/sh\n", { mode: 0o755 });
}

function built(name: string): void {
  mkdirSync(join(folder, "etcdcidr", name), { recursive: true });
}

test("a test file's name says what has to be built, and so which tools are missing", () => {
  expect(missingTools(ON_KINE)).toEqual(["go", "gcc"]);
  expect(missingTools("test/conformance/kubernetes-1.37-etcd-3.7.go.long.test.ts")).toEqual(["go"]);
  tool("go");
  expect(missingTools(ON_KINE)).toEqual(["gcc"]);
  tool("gcc");
  expect(missingTools(ON_KINE)).toEqual([]);
});

test("what is built already needs no tool", () => {
  built("kubernetes-v1.36.3");
  expect(missingTools(ON_KINE)).toEqual(["go", "gcc"]);
  built("kine-v0.17.5");
  expect(missingTools(ON_KINE)).toEqual([]);
});

test("a minor that cannot be had is no file's", () => {
  expect(() => missingTools("test/conformance/kubernetes-1.35-etcd-3.9.go.test.ts")).toThrow(
    "no etcd 3.9: there is 3.6, 3.7",
  );
});

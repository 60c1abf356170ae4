import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type EtcdBinary, obtainEtcd } from "../../scripts/etcd.mjs";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "etcdcidr-obtain-"));
  vi.stubEnv("ETCD_BIN", "");
  vi.stubEnv("PATH", join(folder, "bin"));
  vi.stubEnv("XDG_CACHE_HOME", folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

function program(...path: string[]): string {
  const file = join(folder, ...path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, "#!/bin/sh\n", { mode: 0o755 });
  return file;
}

const obtain = (prefer: "newest" | "quickest"): EtcdBinary => obtainEtcd({ prefer, say: () => {} });

test("ETCD_BIN wins, and is not passed over when it names nothing", () => {
  const named = program("named");
  program("bin", "etcd");
  vi.stubEnv("ETCD_BIN", named);
  expect(obtain("quickest")).toEqual({ path: named, origin: "named by ETCD_BIN" });
  vi.stubEnv("ETCD_BIN", `${named}.gone`);
  expect(() => obtain("quickest")).toThrow(`ETCD_BIN names ${named}.gone, which is not an executable file`);
});

test("the quickest is on PATH, the newest is built with Go", () => {
  const onPath = program("bin", "etcd");
  program("etcdcidr", "etcd-debian", "package", "usr", "bin", "etcd");
  expect(obtain("newest")).toEqual({ path: onPath, origin: "on PATH" });
  const built = program("etcdcidr", "etcd-v3.6.16", "etcd");
  expect(obtain("newest")).toEqual({ path: built, origin: "v3.6.16, built with Go earlier" });
  expect(obtain("quickest")).toEqual({ path: onPath, origin: "on PATH" });
});

test("where there is none and nothing to make one with, it says what would help", () => {
  expect(() => obtain("newest")).toThrow(
    "set ETCD_BIN, or put etcd on PATH, or install Go or Debian's etcd-server",
  );
});

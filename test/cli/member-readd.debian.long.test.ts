import { spawnSync } from "node:child_process";
import { vi } from "vitest";
import { obtainDebianEtcd } from "../../scripts/etcd.mjs";
import { bringsBack } from "./readd-generation.js";

const { path } = obtainDebianEtcd({ say: () => {} });
vi.stubEnv("ETCD_BIN", path);

const { stdout } = spawnSync(path, ["--version"], { encoding: "utf8" });
bringsBack(/etcd Version: (\S+)/.exec(stdout)?.[1] ?? "");

import { vi } from "vitest";
import { obtainEtcdServer } from "../../scripts/etcd-release.mjs";
import { bringsBack } from "./readd-generation.js";

vi.stubEnv("ETCD_BIN", obtainEtcdServer({ minor: "3.7", say: () => {} }));

bringsBack("3.7.3");

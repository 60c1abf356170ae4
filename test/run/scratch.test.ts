import { test, expect, beforeAll, afterAll } from "vitest";
import { startEtcd, type EtcdServer } from "../harness/etcd.js";
import { loadCluster, stoppedCluster, liveCluster, manyNodes } from "../harness/cluster.js";
import { runCli } from "../harness/cli.js";
import { temporaryFolder } from "../harness/folder.js";
let server: EtcdServer;
beforeAll(async () => { server = await startEtcd(); });
afterAll(() => server.stop());
test("x", async () => {
  for (const keys of [stoppedCluster("v1.36-single"), liveCluster("v1.36-single"), liveCluster("v1.36-dual-encrypted")]) {
  const c = await loadCluster(server.endpoint, keys);
  const g = ["--endpoints", c.endpoint, "--prefix", c.prefix, "--journal-dir", temporaryFolder()];
  for (const a of [["change-pod-cidr","10.212.0.0/16","--node-cidr-mask-size","22","--yes"],["changes"],["rollback","--yes"],["rollback"]]) {
    const r = await runCli([...a, ...g]);
    console.log("$ "+a.join(" ")+"\n"+r.text+"\nexit "+r.exitCode);
  }}
});

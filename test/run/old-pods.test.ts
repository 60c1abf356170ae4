import { afterAll, beforeAll, expect, test } from "vitest";
import { type ClusterKey, loadCluster, plainCluster } from "../harness/cluster.js";
import { type EtcdServer, startEtcd } from "../harness/etcd.js";
import { len, stored } from "../harness/wire.js";
import { commandsOver } from "./round-trip.js";

let server: EtcdServer;
beforeAll(async () => {
  server = await startEtcd();
});
afterAll(() => server.stop());

/** A Pod as kube-apiserver stores it: metadata, spec.nodeName, status.phase and status.podIP with status.podIPs. */
function pod(name: string, node: string, address: string, phase = "Running"): ClusterKey {
  const value = stored(
    "v1",
    "Pod",
    len(1, len(1, name), len(3, "shop")),
    len(2, len(10, node)),
    len(3, len(1, phase), len(6, address), len(12, len(1, address))),
  );
  return { key: `pods/shop/${name}`, value };
}

const CHANGE = ["change-pod-cidr", "10.212.0.0/16", "--node-cidr-mask-size", "22"];

test("Pods that still have old addresses are counted by Node when the change is done", async () => {
  const cluster = await loadCluster(server.endpoint, [
    ...plainCluster("v1.36-single"),
    pod("cart-1", "worker-1", "10.112.4.7"),
    pod("cart-2", "worker-1", "10.112.4.8"),
    pod("cart-3", "worker-2", "10.112.6.9"),
    pod("cart-4", "worker-2", "10.212.24.9"),
    pod("job-1", "worker-2", "10.112.6.10", "Succeeded"),
    pod("pending-1", "", ""),
  ]);
  const run = commandsOver(cluster);
  const text = await run(...CHANGE);
  expect(text.out).toContain(
    "\n  renew the Pods that have addresses of the old blocks: worker-1 2, worker-2 1\n",
  );
  expect(text.out).not.toContain("no Pod has");
  const data = JSON.parse((await run("rollback", "-o", "json")).out);
  expect(data.podsWithOldAddresses).toEqual({ "worker-2": 1 });
});

test("more Pods than fit into a page are all counted", async () => {
  const pods = Array.from({ length: 1200 }, (_empty, index) =>
    pod(`web-${index}`, "worker-1", `10.112.4.${index % 250}`),
  );
  const cluster = await loadCluster(server.endpoint, [...plainCluster("v1.36-single"), ...pods]);
  expect((await commandsOver(cluster)(...CHANGE)).out).toContain("old blocks: worker-1 1200\n");
});

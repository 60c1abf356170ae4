import { afterAll, beforeAll, expect, test } from "vitest";
import { type ClusterKey, loadCluster, plainCluster } from "../harness/cluster.js";
import { type EtcdServer, startEtcd } from "../harness/etcd.js";
import { int, len, stored } from "../harness/wire.js";
import { commandsOver } from "./round-trip.js";

let server: EtcdServer;
beforeAll(async () => {
  server = await startEtcd();
});
afterAll(() => server.stop());

interface PodSpec {
  readonly address?: string;
  readonly phase?: string;
  readonly hostNetwork?: boolean;
}

function pod(
  name: string,
  node: string,
  { address = "", phase = "Running", hostNetwork = false }: PodSpec,
): ClusterKey {
  const value = stored(
    "v1",
    "Pod",
    len(1, len(1, name), len(3, "shop")),
    len(2, len(10, node), ...(hostNetwork ? [int(11, 1)] : [])),
    len(3, len(1, phase), ...(address === "" ? [] : [len(6, address), len(12, len(1, address))])),
  );
  return { key: `pods/shop/${name}`, value };
}

/** An EndpointSlice with one endpoint a target: `Pod name`, another kind, or none. */
function endpointSlice(
  name: string,
  ...endpoints: { target?: string; node: string; address: string }[]
): ClusterKey {
  const value = stored(
    "discovery.k8s.io/v1",
    "EndpointSlice",
    len(1, len(1, name), len(3, "shop")),
    ...endpoints.map(({ target = "", node, address }) => {
      const [kind = "", targetName = ""] = target.split(" ");
      const reference = target === "" ? [] : [len(4, len(1, kind), len(2, "shop"), len(3, targetName))];
      return len(2, len(1, address), ...reference, len(6, node));
    }),
    len(4, "IPv4"),
  );
  return { key: `endpointslices/shop/${name}`, value };
}

test("Pods and endpoints are streamed; those that have no address of the pod network are left out", async () => {
  const cluster = await loadCluster(server.endpoint, [
    ...plainCluster("v1.32-bitmap"),
    pod("cart-1", "worker-1", { address: "10.46.0.15" }),
    pod("cart-2", "worker-1", { address: "10.112.3.9" }),
    pod("agent", "worker-1", { address: "192.0.2.13", hostNetwork: true }),
    pod("job", "worker-1", { address: "10.46.0.16", phase: "Succeeded" }),
    pod("pending", "", { phase: "Pending" }),
    endpointSlice(
      "cart-x7k2",
      { target: "Pod cart-1", node: "worker-1", address: "10.46.0.15" },
      { target: "Pod cart-2", node: "worker-1", address: "10.112.3.9" },
      { target: "Pod agent", node: "worker-1", address: "192.0.2.13" },
      { target: "Node worker-1", node: "worker-1", address: "192.0.2.13" },
      { node: "worker-1", address: "198.51.100.7" },
    ),
  ]);
  const { out, exitCode } = await commandsOver(cluster)("verify", "-o", "json");
  expect(exitCode).toBe(6);
  const { checks, ...rest } = JSON.parse(out);
  expect(rest).toEqual({
    revision: expect.stringMatching(/^\d+$/),
    podCidr: { cidrs: "10.112.0.0/16", source: "--cluster-cidr of kube-controller-manager on kube-1" },
    serviceCidr: { cidrs: "10.96.0.0/16", source: "serviceSubnet in ConfigMap kubeadm-config" },
    notes: [],
  });
  expect(checks.filter(({ result }: { result: string }) => result !== "ok")).toEqual([
    {
      check: "pod-addresses",
      result: "differs",
      where: "Pods",
      values: "1 of 2 Pods outside the Nodes' blocks",
      details: ["on worker-1: 1 Pod (shop/cart-1 10.46.0.15)"],
    },
    {
      check: "endpoint-addresses",
      result: "differs",
      where: "EndpointSlices",
      values: "1 of 2 endpoints outside the Nodes' blocks",
      details: ["on worker-1: 1 endpoint (shop/cart-x7k2 -> shop/cart-1 10.46.0.15)"],
    },
  ]);
});

test("exit 0 only if every check is ok; what cannot be told can be accepted", async () => {
  const fine = commandsOver(await loadCluster(server.endpoint, plainCluster("v1.32-bitmap")));
  expect((await fine("verify")).exitCode).toBe(0);
  const unreadable = { key: "minions/broken", value: Buffer.from("k8s\0\xff", "latin1") };
  const broken = commandsOver(
    await loadCluster(server.endpoint, [...plainCluster("v1.32-bitmap"), unreadable]),
  );
  const told = await broken("verify");
  expect([told.exitCode, told.out]).toEqual([6, expect.stringContaining("cannot tell  minions")]);
  expect((await broken("verify", "--accept", "cannot-tell")).exitCode).toBe(0);
  expect((await broken("verify", "--accept", "cannot-tell", "--pod-cidr", "10.212.0.0/16")).exitCode).toBe(6);
});

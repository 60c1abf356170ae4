import { describe, expect, test } from "vitest";
import type { Io } from "../../../src/cli/io.js";
import { renderVerdict } from "../../../src/cli/render-verdict.js";
import { cluster } from "../../harness/read-set.js";
import { linesOf, service, verdictOver } from "./scene.js";

const KCM = { "cluster-cidr": "10.112.0.0/16", "service-cluster-ip-range": "10.96.0.0/16" };
const two = () => cluster().node("n1", "10.112.0.0/24").node("n2", "10.112.1.0/24");

describe("Nodes", () => {
  test("as they should be", () => {
    const verdict = verdictOver(two().kcm(KCM));
    expect(linesOf(verdict)).toEqual([
      "ok node-pair",
      "ok node-valid",
      "ok node-range",
      "ok node-overlap",
      "ok flag-cluster-cidr",
      "ok flag-node-cidr-mask-size",
    ]);
    expect(verdict.checks[2]).toEqual({
      check: "node-range",
      result: "ok",
      where: "Nodes",
      values: "inside 10.112.0.0/16 (--cluster-cidr of kube-controller-manager on kube-1): all 2",
      details: [],
    });
    expect(verdict.notes).toEqual([]);
  });

  test("podCIDR apart from podCIDRs[0]", () => {
    const verdict = verdictOver(two().node("n3", { podCidr: "10.112.3.0/24", podCidrs: ["10.112.2.0/24"] }));
    expect(linesOf(verdict, "node-pair")).toEqual([
      "differs node-pair: n3: podCIDR 10.112.3.0/24, podCIDRs 10.112.2.0/24",
    ]);
  });

  test.each([
    ["10.112.2.7/24", "10.112.2.7/24: it has host bits set"],
    ["010.112.2.0/24", "010.112.2.0/24: it has a leading zero, which some programs read as octal"],
    ["banana", "banana: it has no prefix length"],
  ])("%s is not what the API accepts", (text, fault) => {
    const lines = linesOf(verdictOver(cluster().node("n1", text)), "node-valid");
    expect(lines).toEqual([expect.stringContaining(`differs node-valid: n1: ${fault.split(":")[0]}: `)]);
  });

  test("a second block of a family; upper case is accepted", () => {
    const odd = cluster()
      .node("n1", ["10.112.0.0/24", "10.112.9.0/24"])
      .node("n2", ["10.112.1.0/24", "FD00:1::/64"]);
    expect(linesOf(verdictOver(odd), "node-valid")).toEqual([
      "differs node-valid: n1: 10.112.9.0/24 is a second block of its family",
    ]);
  });

  test("C01: the flag was changed first; both Nodes are named as outside", () => {
    const verdict = verdictOver(
      cluster().node("n1", "10.0.0.0/24").node("n2", "10.0.1.0/24").kcm({ "cluster-cidr": "10.10.0.0/16" }),
    );
    expect(linesOf(verdict, "node-range")).toEqual(["differs node-range: n1 10.0.0.0/24; n2 10.0.1.0/24"]);
  });

  test("a Node without a block, where others have one; not where none has", () => {
    expect(linesOf(verdictOver(two().node("n3").kcm(KCM)), "node-range")).toEqual([
      "differs node-range: n3 has no block",
    ]);
    expect(linesOf(verdictOver(cluster().node("n1").node("n2").kcm(KCM)))).toEqual(["ok flag-cluster-cidr"]);
  });

  test("C28: two that share addresses", () => {
    const verdict = verdictOver(two().node("n3", "10.112.0.128/25").kcm(KCM));
    expect(linesOf(verdict, "node-overlap")).toEqual([
      "differs node-overlap: n1, n3 share addresses of 10.112.0.0/24, 10.112.0.128/25",
    ]);
  });

  test("more than a person reads is cut short in text alone", () => {
    const verdict = verdictOver(
      cluster()
        .nodes("n", 8, (index) => `10.112.${index}.0/24`)
        .kcm(KCM),
      { podCidrs: ["10.212.0.0/16"] },
    );
    expect(verdict.checks[2]?.details).toHaveLength(8);
    const silent = { style: (_style: unknown, text: string) => text } as Io;
    expect(renderVerdict(verdict, silent)).toContain(
      "             n4 10.112.4.0/24\n             and 3 more (-o json lists all)\n",
    );
  });

  test("a family that was asked for and that a Node lacks, or has in the other place", () => {
    const dual = cluster()
      .node("n1", "10.112.0.0/24")
      .node("n2", ["10.112.1.0/24", "fd00:1::/64"])
      .node("n3", ["fd00:1:0:1::/64", "10.112.2.0/24"]);
    const verdict = verdictOver(dual, { podCidrs: ["10.112.0.0/16", "fd00:1::/48"] });
    expect(linesOf(verdict, "node-range")).toEqual([
      "differs node-range: n1 has no IPv6 block; n3 has its IPv6 block first",
    ]);
  });

  test("C11: net-conf was changed and the Nodes were not; public space is noted", () => {
    const odd = cluster()
      .node("n1", "182.20.3.0/24")
      .with({ flannel: { key: "f", network: "172.20.0.0/16" } });
    const verdict = verdictOver(odd);
    expect(linesOf(verdict, "node-range")).toEqual(["differs node-range: n1 182.20.3.0/24"]);
    expect(verdict.notes).toEqual(["182.20.3.0/24 is not private"]);
    expect(verdictOver(odd, { podCidrs: ["182.20.0.0/16"] }).notes).toContain("182.20.0.0/16 is not private");
  });
});

describe("flags and ConfigMaps", () => {
  test("C09: every second copy of the old range", () => {
    const old = two()
      .kcm(KCM)
      .component("kube-apiserver", { "service-cluster-ip-range": "10.96.0.0/16" })
      .kubeadm("10.112.0.0/16", { "cluster-cidr": "10.112.0.0/16" })
      .kubeProxy({ clusterCidr: "10.112.0.0/16" })
      .with({ flannel: { key: "f", network: "10.112.0.0/16" } });
    const asked = { podCidrs: ["10.212.0.0/16"], serviceCidrs: ["10.196.0.0/16"] };
    expect(linesOf(verdictOver(old, asked)).slice(4)).toEqual([
      "differs flag-cluster-cidr: it should be 10.212.0.0/16 (--pod-cidr)",
      "differs flag-service-cluster-ip-range: it should be 10.196.0.0/16 (--service-cidr)",
      "ok flag-node-cidr-mask-size",
      "differs flag-service-cluster-ip-range: it should be 10.196.0.0/16 (--service-cidr)",
      "differs kubeadm-podSubnet: it should be 10.212.0.0/16 (--pod-cidr)",
      "differs kubeadm-cluster-cidr: it should be 10.212.0.0/16 (--pod-cidr)",
      "differs kube-proxy-clusterCIDR: it should be 10.212.0.0/16 (--pod-cidr)",
      "differs flannel-Network: it should be 10.212.0.0/16 (--pod-cidr)",
    ]);
  });

  test.each([
    [{ "node-cidr-mask-size": "24" }, "ok flag-node-cidr-mask-size"],
    [{}, "ok flag-node-cidr-mask-size"],
    [{ "node-cidr-mask-size": "22" }, "differs flag-node-cidr-mask-size: Nodes have IPv4 blocks of /24"],
  ])("the size of the blocks for new Nodes: %j", (flags, line) => {
    expect(linesOf(verdictOver(two().kcm({ ...KCM, ...flags })), "flag-node-cidr-mask-size")).toEqual([line]);
  });

  test("no size where kube-controller-manager hands out none", () => {
    const verdict = verdictOver(
      two().kcm({ ...KCM, "allocate-node-cidrs": "false", "node-cidr-mask-size": "22" }),
    );
    expect(linesOf(verdict, "flag-node-cidr-mask-size")).toEqual([]);
  });

  test("dual stack: each family's size by its own flag, ranges in their order", () => {
    const dual = cluster()
      .node("n1", ["10.112.0.0/24", "fd00:1::/64"])
      .kcm({ "cluster-cidr": "10.112.0.0/16,fd00:1::/48", "node-cidr-mask-size-ipv6": "72" })
      .kubeadm("fd00:1::/48,10.112.0.0/16");
    expect(linesOf(verdictOver(dual), "flag-node-cidr-mask-size", "kubeadm-podSubnet")).toEqual([
      "ok flag-node-cidr-mask-size",
      "differs flag-node-cidr-mask-size: Nodes have IPv6 blocks of /64",
      "differs kubeadm-podSubnet: it should be 10.112.0.0/16,fd00:1::/48 (--cluster-cidr of kube-controller-manager on kube-1)",
    ]);
  });

  test.each([
    [["10.96.0.10"], "ok kubelet-clusterDNS"],
    [["169.254.20.10"], "ok kubelet-clusterDNS"],
    [["fd00:10:96:0::0:A"], "ok kubelet-clusterDNS"],
    [["10.96.0.11"], "differs kubelet-clusterDNS: no Service has 10.96.0.11"],
    [
      ["10.96.0.10", "10.43.0.10"],
      "differs kubelet-clusterDNS: 10.43.0.10 is outside 10.96.0.0/16,fd00:10:96::/112 (--service-cidr)",
    ],
  ])("clusterDNS %j", (clusterDns, line) => {
    const verdict = verdictOver(
      two(),
      { serviceCidrs: ["10.96.0.0/16", "fd00:10:96::/112"] },
      {
        kubelet: { key: "k", clusterDns },
        services: [service("kube-system/kube-dns", "10.96.0.10", "fd00:10:96::a")],
      },
    );
    expect(linesOf(verdict, "kubelet-clusterDNS")).toEqual([line]);
  });
});

describe("Pods and endpoints", () => {
  test("C07: addresses of the old range, by node, with examples", () => {
    const pods = [
      "kube-system/metrics-server n1 10.46.0.15",
      "shop/cart-1 n1 10.46.0.16",
      "shop/cart-2 n1 10.46.0.17",
      "shop/new n1 10.42.0.3",
      "shop/lost n9 10.42.0.4",
    ];
    const verdict = verdictOver(
      cluster().node("n1", "10.42.0.0/24"),
      {},
      { pods, endpoints: ["kube-system/metrics-server-x7k2 n1 10.46.0.15"] },
    );
    expect(verdict.checks.slice(-2)).toEqual([
      {
        check: "pod-addresses",
        result: "differs",
        where: "Pods",
        values: "4 of 5 Pods outside the Nodes' blocks",
        details: [
          "on n1: 3 Pods (kube-system/metrics-server 10.46.0.15, shop/cart-1 10.46.0.16, ...)",
          "on n9: 1 Pod (shop/lost 10.42.0.4)",
        ],
      },
      {
        check: "endpoint-addresses",
        result: "differs",
        where: "EndpointSlices",
        values: "1 of 1 endpoint outside the Nodes' blocks",
        details: ["on n1: 1 endpoint (kube-system/metrics-server-x7k2 10.46.0.15)"],
      },
    ]);
  });

  test("an endpoint that names no node may lie in any Node's block", () => {
    const endpoints = ["a/b -> a/c  10.112.1.7", "a/b -> a/d  10.46.0.7"].map((line) =>
      line.replaceAll(" -> ", "->"),
    );
    expect(linesOf(verdictOver(two(), {}, { endpoints }), "endpoint-addresses")).toEqual([
      "differs endpoint-addresses: on no node: 1 endpoint (a/b->a/d 10.46.0.7)",
    ]);
  });

  test("another Node's block is not its own", () => {
    expect(linesOf(verdictOver(two(), {}, { pods: ["a/b n1 10.112.1.7"] }), "pod-addresses")).toEqual([
      "differs pod-addresses: on n1: 1 Pod (a/b 10.112.1.7)",
    ]);
  });

  test("dual stack: each address counts", () => {
    const dual = cluster().node("n1", ["10.112.0.0/24", "fd00:1::/64"]);
    const pods = ["a/b n1 10.112.0.7 fd00:1::7", "a/c n1 10.112.0.8 fd00:2::8"];
    expect(linesOf(verdictOver(dual, {}, { pods }), "pod-addresses")).toEqual([
      "differs pod-addresses: on n1: 1 Pod (a/c fd00:2::8)",
    ]);
  });

  test("Cilium's own pools are the measure where it does not take the Node's block", () => {
    const node = (name: string, podCidrs: string[]) => ({
      key: name,
      name,
      podCidrs,
      poolCidrs: [],
      internalIps: [],
    });
    const cilium = { ipam: "cluster-pool", configKey: "c", nodes: [node("n1", ["10.0.5.0/24"])] };
    const pods = ["a/b n1 10.0.5.7", "a/c n1 10.112.0.7"];
    expect(linesOf(verdictOver(two().with({ cilium }), {}, { pods }), "pod-addresses")).toEqual([
      "differs pod-addresses: on n1: 1 Pod (a/c 10.112.0.7)",
    ]);
    const eni = { ipam: "eni", configKey: "c", nodes: [node("n1", [])] };
    expect(linesOf(verdictOver(two().with({ cilium: eni }), {}, { pods }), "pod-addresses")).toEqual([
      "cannot tell pod-addresses: the CiliumNodes name no blocks under ipam: eni",
    ]);
  });

  test("Calico's pools: a node may borrow from another's block", () => {
    const calico = { pools: [{ key: "p", cidr: "192.168.0.0/16" }], affinityKeys: ["a"], usesPodCidr: false };
    const pods = ["a/b n1 192.168.7.7", "a/c n1 10.112.0.7"];
    expect(linesOf(verdictOver(two().with({ calico }), {}, { pods }), "pod-addresses")).toEqual([
      "differs pod-addresses: on n1: 1 Pod (a/c 10.112.0.7)",
    ]);
  });

  test("OVN-Kubernetes' annotation", () => {
    const ovn = cluster().node("n1", {
      podCidrs: ["10.112.0.0/24"],
      ovnSubnets: '{"default":["10.128.0.0/23"]}',
    });
    const pods = ["a/b n1 10.128.1.7", "a/c n1 10.112.0.7"];
    expect(linesOf(verdictOver(ovn, {}, { pods }), "pod-addresses")).toEqual([
      "differs pod-addresses: on n1: 1 Pod (a/c 10.112.0.7)",
    ]);
  });

  test("nothing to measure with", () => {
    const verdict = verdictOver(cluster().node("n1"), {}, { pods: ["a/b n1 10.0.0.7"] });
    expect(linesOf(verdict)).toEqual([
      "cannot tell pod-addresses: no Node has a block, and the network plugin's own are not known",
    ]);
  });
});

describe("Cilium", () => {
  const ciliumNode = (name: string, podCidr: string, ...internalIps: string[]) => ({
    key: name,
    name,
    podCidrs: [podCidr],
    poolCidrs: [],
    internalIps,
  });

  test("under ipam: kubernetes the CiliumNodes follow the Nodes", () => {
    const nodes = [ciliumNode("n1", "10.112.0.0/24", "10.112.0.37"), ciliumNode("n2", "10.112.9.0/24")];
    const verdict = verdictOver(two().with({ cilium: { ipam: "kubernetes", configKey: "c", nodes } }));
    expect(linesOf(verdict, "cilium-node-blocks", "cilium-router")).toEqual([
      "differs cilium-node-blocks: n2 has 10.112.9.0/24, its Node 10.112.1.0/24",
      "ok cilium-router",
    ]);
  });

  test("C32: a router address that belongs to the old block", () => {
    const moved = cluster()
      .node("n1", "10.60.4.0/24")
      .with({
        cilium: {
          ipam: "kubernetes",
          configKey: "c",
          nodes: [ciliumNode("n1", "10.60.4.0/24", "10.24.0.55")],
        },
      });
    expect(linesOf(verdictOver(moved), "cilium-router")).toEqual([
      "differs cilium-router: n1: CiliumInternalIP 10.24.0.55",
    ]);
    const readSet = moved.build();
    const nodes = readSet.nodes.map((node) => ({ ...node, ciliumHosts: ["10.24.0.55"] }));
    const cilium = { ipam: "kubernetes", nodes: [ciliumNode("n1", "10.60.4.0/24")] };
    const verdict = verdictOver({ ...moved, build: () => ({ ...readSet, nodes, cilium }) });
    expect(linesOf(verdict, "cilium-router")).toEqual([
      "differs cilium-router: n1: the cilium-host annotation 10.24.0.55",
    ]);
  });

  test("C26: two CiliumNodes with one block, both names", () => {
    const nodes = [ciliumNode("n1", "172.16.7.0/24"), ciliumNode("n2", "172.16.7.0/24")];
    const verdict = verdictOver(two().with({ cilium: { ipam: "cluster-pool", configKey: "c", nodes } }));
    expect(linesOf(verdict, "cilium-node-overlap")).toEqual([
      "differs cilium-node-overlap: n1, n2 share addresses of 172.16.7.0/24",
    ]);
  });

  test("the pool counts where Cilium hands out blocks, the routing range always", () => {
    const ranges = new Map([
      ["cluster-pool-ipv4-cidr", "10.0.0.0/16 10.112.0.0/16"],
      ["ipv4-native-routing-cidr", "10.112.0.0/16"],
      ["ipv6-native-routing-cidr", "fd00::/48"],
    ]);
    const with_ = (ipam: string) => two().with({ cilium: { ipam, configKey: "c", ranges, nodes: [] } });
    const asked = { podCidrs: ["10.212.0.0/16"] };
    const routing = "differs cilium-ipv4-native-routing-cidr: it does not contain 10.212.0.0/16 (--pod-cidr)";
    expect(linesOf(verdictOver(with_("kubernetes"), asked)).slice(4)).toEqual([routing]);
    expect(linesOf(verdictOver(with_("cluster-pool"), asked)).slice(4)).toEqual([
      "differs cilium-cluster-pool-ipv4-cidr: it does not contain 10.212.0.0/16 (--pod-cidr)",
      routing,
    ]);
    expect(linesOf(verdictOver(with_("cluster-pool"), { podCidrs: ["10.112.0.0/16"] })).slice(4)).toEqual([
      "ok cilium-cluster-pool-ipv4-cidr",
      "ok cilium-ipv4-native-routing-cidr",
    ]);
  });
});

describe("Calico", () => {
  const pools = [{ key: "p", cidr: "100.64.0.0/13", blockSize: 25 }];

  test("C36: a block of another size than its pool's", () => {
    const calico = { pools, affinityKeys: ["a"], usesPodCidr: false };
    const calicoBlocks = ["100.64.3.64/26", "100.64.4.0/25", "192.168.0.0/25"].map((cidr) => ({
      key: cidr,
      cidr,
    }));
    const verdict = verdictOver(
      cluster().with({ calico }),
      { podCidrs: ["100.64.0.0/10"] },
      { calicoBlocks },
    );
    expect(linesOf(verdict)).toEqual([
      "ok calico-pools",
      "differs calico-blocks: 100.64.3.64/26 overlaps the blocks of /25 of pool 100.64.0.0/13; 192.168.0.0/25 is in no pool",
    ]);
  });

  test("a pool outside the pod network; none of it where the Node's block is used", () => {
    const calico = { pools, affinityKeys: ["a"], usesPodCidr: false };
    expect(linesOf(verdictOver(cluster().with({ calico }), { podCidrs: ["10.212.0.0/16"] }))).toEqual([
      "differs calico-pools: 100.64.0.0/13 is outside 10.212.0.0/16 (--pod-cidr)",
    ]);
    const hostLocal = { ...calico, usesPodCidr: true };
    expect(
      linesOf(verdictOver(cluster().with({ calico: hostLocal }), { podCidrs: ["10.212.0.0/16"] })),
    ).toEqual([]);
  });
});

describe("the service network", () => {
  const kubernetes = {
    key: "/registry/servicecidrs/kubernetes",
    name: "kubernetes",
    cidrs: ["10.96.0.0/16"],
  };
  const services = [service("default/kubernetes", "10.96.0.1"), service("shop/cart", "10.96.3.7")];
  const ipAddresses = [
    { address: "10.96.0.1", service: "default/kubernetes" },
    { address: "10.96.3.7", service: "shop/cart" },
  ];

  test("as it should be", () => {
    const verdict = verdictOver(cluster(), {}, { serviceCidrs: [kubernetes], services, ipAddresses });
    expect(linesOf(verdict)).toEqual([
      "ok service-cidr",
      "ok service-pair",
      "ok service-range",
      "ok service-overlap",
      "ok ip-addresses",
    ]);
  });

  test("Services outside, apart, and on one address", () => {
    const odd = [
      ...services,
      service("shop/old", "10.43.0.9"),
      { name: "shop/apart", clusterIp: "10.96.9.9", clusterIps: ["10.96.3.7"] },
    ];
    expect(linesOf(verdictOver(cluster(), {}, { serviceCidrs: [kubernetes], services: odd }))).toEqual([
      "ok service-cidr",
      "differs service-pair: shop/apart: clusterIP 10.96.9.9, clusterIPs 10.96.3.7",
      "differs service-range: shop/old 10.43.0.9",
      "differs service-overlap: 10.96.3.7 is held by shop/cart and shop/apart",
    ]);
  });

  test("a ServiceCIDR that somebody has added is as good as the first", () => {
    const added = { key: "a", name: "more", cidrs: ["10.43.0.0/16"] };
    const odd = [service("shop/old", "10.43.0.9")];
    const verdict = verdictOver(cluster(), {}, { serviceCidrs: [kubernetes, added], services: odd });
    expect(linesOf(verdict, "service-range")).toEqual(["ok service-range"]);
  });

  test("IPAddresses that are missing, or belong to another; one that is kept for no Service is no fault", () => {
    const odd = [
      { address: "10.96.0.1", service: "shop/cart" },
      { address: "10.96.7.7", service: "shop/gone" },
      { address: "10.96.8.8" },
    ];
    const verdict = verdictOver(cluster(), {}, { serviceCidrs: [kubernetes], services, ipAddresses: odd });
    expect(linesOf(verdict, "ip-addresses")).toEqual([
      "differs ip-addresses: shop/cart 10.96.3.7 has no IPAddress; " +
        "10.96.0.1 refers to shop/cart, and default/kubernetes has it; " +
        "10.96.7.7 refers to shop/gone, which does not have it",
    ]);
  });

  test("without a flag the API server's default is assumed; without any source nobody can tell", () => {
    const verdict = verdictOver(cluster().component("kube-apiserver", {}), {}, { services });
    expect(verdict.services).toEqual({
      cidrs: [{ family: 4, base: 10n << 24n, length: 24 }],
      source: "the default, which kube-apiserver assumes without the flag",
    });
    expect(linesOf(verdict, "service-range")).toEqual([
      "differs service-range: default/kubernetes 10.96.0.1; shop/cart 10.96.3.7",
    ]);
    expect(linesOf(verdictOver(cluster(), {}, { services }), "service-range")).toEqual([
      "cannot tell service-range: nothing says what the service network is; give --service-cidr",
    ]);
  });

  describe("the bitmap", () => {
    // 10.96.0.1 is offset 0, 10.96.3.7 is offset 774.
    const bits = (...offsets: number[]) => {
      const bytes = new Uint8Array(100);
      for (const offset of offsets)
        bytes[99 - (offset >> 3)] = (bytes[99 - (offset >> 3)] ?? 0) | (1 << (offset & 7));
      return bytes;
    };
    const apiServer = (minor: number) => {
      const builder = cluster().component("kube-apiserver", { "service-cluster-ip-range": "10.96.0.0/16" });
      const readSet = builder.build();
      const components = readSet.components.map((component) => ({ ...component, minor }));
      return { ...builder, build: () => ({ ...readSet, components }) };
    };
    const allocation = (range: string, ...offsets: number[]) => [
      { key: "/registry/ranges/serviceips", range, bits: bits(...offsets) },
    ];

    test("C48: still of the old range", () => {
      const allocations = allocation("10.43.0.0/16", 0, 774);
      expect(linesOf(verdictOver(apiServer(33), {}, { allocations, services }), "range-allocation")).toEqual([
        "differs range-allocation: it should be of 10.96.0.0/16 (--service-cluster-ip-range of kube-apiserver on kube-1)",
      ]);
      expect(linesOf(verdictOver(apiServer(34), {}, { allocations, services }), "range-allocation")).toEqual([
        "ok range-allocation",
      ]);
    });

    test("a Service whose address is marked as free, unless IPAddresses decide", () => {
      const allocations = allocation("10.96.0.0/16", 0);
      expect(linesOf(verdictOver(apiServer(32), {}, { allocations, services }), "range-allocation")).toEqual([
        "differs range-allocation: 10.96.3.7 of shop/cart is marked as free",
      ]);
      const all = allocation("10.96.0.0/16", 0, 774);
      expect(
        linesOf(verdictOver(apiServer(32), {}, { allocations: all, services }), "range-allocation"),
      ).toEqual(["ok range-allocation"]);
      const decided = { allocations, services, ipAddresses };
      expect(linesOf(verdictOver(apiServer(33), {}, decided), "range-allocation")).toEqual([
        "ok range-allocation",
      ]);
    });
  });
});

test("what cannot be read has one line a kind", () => {
  const unreadable = ["minions/n1", "minions/n2", "configmaps/kube-system/kubeadm-config"].map((path) => ({
    key: `/registry/${path}`,
    why: "it is encrypted at rest",
  }));
  expect(linesOf(verdictOver(cluster().with({ unreadable })))).toEqual([
    "cannot tell readable: 2 values cannot be read; /registry/minions/n1: it is encrypted at rest; /registry/minions/n2: it is encrypted at rest",
    "cannot tell readable: 1 value cannot be read; /registry/configmaps/kube-system/kubeadm-config: it is encrypted at rest",
  ]);
});

test("a cluster that has nothing has no line", () => {
  expect(verdictOver(cluster())).toEqual({ checks: [], notes: [] });
});

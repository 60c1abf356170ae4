import { describe, expect, test } from "vitest";
import { parseCidr } from "../../src/cidr/parse.js";
import { remainingSteps } from "../../src/plan/remaining-steps.js";
import { cluster, NOW_MS } from "../harness/read-set.js";
import { blocksAfter, codes, findingsOf, isBlocked, moves, planOver, updates } from "./scene.js";

// What people met, by its number; values as they were.

describe("C01: the flag changed before the Nodes", () => {
  const nodes = () => cluster().node("n1", "10.0.0.0/24").node("n2", "10.0.1.0/24");

  test("two Nodes are rewritten, and the flag comes after them", () => {
    const builder = nodes().kcm({ "cluster-cidr": "10.0.0.0/16" });
    const plan = planOver(builder, "10.10.0.0/16");
    expect(moves(plan)).toEqual([
      "n1 10.0.0.0/24 -> 10.10.0.0/24 (index 0)",
      "n2 10.0.1.0/24 -> 10.10.1.0/24 (index 1)",
    ]);
    expect(remainingSteps(plan.outline.families, builder.build(), plan.outline.nodes)).toEqual([
      {
        where: "host kube-1",
        what: "kube-controller-manager: set --cluster-cidr=10.10.0.0/16 and restart it",
      },
    ]);
  });

  test("with the flag changed already the same two are rewritten", () => {
    const builder = nodes().kcm({ "cluster-cidr": "10.10.0.0/16" });
    const plan = planOver(builder, "10.10.0.0/16");
    expect(blocksAfter(builder.build(), plan)).toEqual({ n1: "10.10.0.0/24", n2: "10.10.1.0/24" });
    expect(remainingSteps(plan.outline.families, builder.build(), plan.outline.nodes)).toEqual([
      { where: "host kube-1", what: "kube-controller-manager: has these flags already; restart it" },
    ]);
  });
});

describe("C03: a mask shrunk in place", () => {
  const builder = () =>
    cluster()
      .kcm({ "cluster-cidr": "192.168.88.0/21" })
      .node("m1", "192.168.88.0/24")
      .node("w1", "192.168.89.0/24");

  test("podCIDR and podCIDRs[0] are both 192.168.88.0/26", () => {
    const [first] = updates(planOver(builder(), "192.168.88.0/21", { nodeMaskSize: 26 }));
    expect(first?.edits).toEqual([
      { path: "spec.podCIDR", old: "192.168.88.0/24", new: "192.168.88.0/26" },
      { path: "spec.podCIDRs", old: ["192.168.88.0/24"], new: ["192.168.88.0/26"] },
    ]);
  });

  test("a Pod at 192.168.88.130 is outside: a blocker that can be accepted", () => {
    const scene = builder()
      .pod("default/web", "m1", "192.168.88.130")
      .pod("default/db", "m1", "192.168.88.9");
    const options = { nodeMaskSize: 26 };
    expect(findingsOf(planOver(scene, "192.168.88.0/21", options), "pods-outside-block")).toMatchObject([
      {
        severity: "blocker",
        acceptable: true,
        what: "Pods run outside the smaller blocks: default/web at 192.168.88.130 (m1, 192.168.88.0/26)",
      },
    ]);
    const accepted = planOver(scene, "192.168.88.0/21", { ...options, accept: ["pods-outside-block"] });
    expect(isBlocked(accepted)).toBe(false);
  });
});

describe("C05: old and new controllers fight", () => {
  test("a live kube-controller-manager with the old flag: what it will do", () => {
    const plan = planOver(
      cluster()
        .kcm({ "cluster-cidr": "10.2.0.0/16" })
        .node("n1", "10.2.0.0/24")
        .with({
          componentLeases: [
            {
              key: "/registry/leases/kube-system/kube-controller-manager",
              holder: "kube-1_a",
              renewTime: "2026-12-01T11:59:59.000000Z",
              durationSeconds: 15,
              renewedAtMs: NOW_MS - 1000,
            },
          ],
        }),
      "10.212.0.0/16",
    );
    expect(findingsOf(plan, "kcm-live")).toMatchObject([
      {
        severity: "warning",
        why:
          "until it is restarted it gives new Nodes blocks of the range it was started with (its flags say 10.2.0.0/16), " +
          "and it exits at its next start if a Node is outside its --cluster-cidr",
      },
    ]);
  });

  test("10.2.0.0/16 -> 10.0.0.0/14 rewrites no Node", () => {
    const plan = planOver(
      cluster()
        .kcm({ "cluster-cidr": "10.2.0.0/16" })
        .nodes("n", 6, (index) => `10.2.${index}.0/24`),
      "10.0.0.0/14",
    );
    expect(plan.stages).toEqual([]);
  });
});

describe("C09: the network plugin's own copy of the range", () => {
  test("flannel's ConfigMap is a step", () => {
    const builder = cluster()
      .node("n1", "10.42.0.0/24")
      .with({
        flannel: { key: "/registry/configmaps/kube-flannel/kube-flannel-cfg", network: "10.42.0.0/16" },
      });
    const plan = planOver(builder, "172.27.0.0/16");
    expect(remainingSteps(plan.outline.families, builder.build(), plan.outline.nodes)).toContainEqual({
      where: "ConfigMap kube-flannel/kube-flannel-cfg",
      what: "set Network to 172.27.0.0/16 in net-conf.json now, before any flanneld or node restarts",
    });
  });
});

describe("C17: a small range, and the ConfigMaps that name it", () => {
  const four = () => cluster().nodes("n", 4, (index) => `10.32.${index}.0/24`);

  test("192.168.129.0/24 with mask 24 has one block for four Nodes", () => {
    const plan = planOver(four(), "192.168.129.0/24", { nodeMaskSize: 24 });
    expect(findingsOf(plan, "capacity")).toMatchObject([
      {
        severity: "blocker",
        acceptable: false,
        what: "4 Nodes need a block, and 192.168.129.0/24 has 1 block of /24",
      },
    ]);
  });

  test("otherwise kube-proxy's clusterCIDR and kubeadm's podSubnet are to be followed up", () => {
    const builder = four().kubeadm("10.32.0.0/16").kubeProxy({ clusterCidr: "10.32.0.0/16" });
    const plan = planOver(builder, "192.168.129.0/24", { nodeMaskSize: 26 });
    expect(isBlocked(plan)).toBe(false);
    expect(remainingSteps(plan.outline.families, builder.build(), plan.outline.nodes)).toEqual([
      {
        where: "every control-plane host",
        what: "start kube-controller-manager with --cluster-cidr=192.168.129.0/24 --node-cidr-mask-size=26",
      },
      {
        where: "ConfigMap kube-system/kubeadm-config",
        what:
          'set networking.podSubnet to 192.168.129.0/24, set node-cidr-mask-size to "26" in controllerManager.extraArgs ' +
          "(else the next kubeadm upgrade brings the old values back)",
      },
      {
        where: "ConfigMap kube-system/kube-proxy",
        what: "set clusterCIDR to 192.168.129.0/24 and restart kube-proxy on every node",
      },
    ]);
  });
});

describe("C19: an operator owns the network", () => {
  test("the plan is blocked, with that reason", () => {
    const key = "/kubernetes.io/operator.openshift.io/networks/cluster";
    const plan = planOver(
      cluster()
        .node("n1", "10.128.0.0/23")
        .with({ ownerKeys: [key] }),
      "10.132.0.0/14",
    );
    expect(isBlocked(plan)).toBe(true);
    expect(findingsOf(plan, "operator-owned")).toMatchObject([{ keys: [key], severity: "blocker" }]);
  });
});

describe("C22: the range is as large as one block, with host bits set", () => {
  test("172.20.0.0/12 is refused, and 172.16.0.0/12 suggested", () => {
    expect(() => parseCidr("172.20.0.0/12")).toThrow(
      expect.objectContaining({
        explanation: expect.objectContaining({ next: "write 172.16.0.0/12 if that range is meant" }),
      }),
    );
  });

  test("mask 12 has room for one Node, not for two", () => {
    const one = cluster().node("n1", "10.0.0.0/24");
    const options = { nodeMaskSize: 12 };
    expect(codes(planOver(one, "172.16.0.0/12", options))).toEqual(["warning nearly-full"]);
    const two = planOver(one.node("n2", "10.0.1.0/24"), "172.16.0.0/12", options);
    expect(findingsOf(two, "capacity")).toMatchObject([
      { what: "2 Nodes need a block, and 172.16.0.0/12 has 1 block of /12", severity: "blocker" },
    ]);
  });
});

describe("C24: Cilium takes nothing from the Node", () => {
  const scene = (ipam: string) =>
    cluster()
      .node("n1", "10.112.0.0/24")
      .with({ cilium: { nodes: [], ipam, configKey: "/registry/configmaps/kube-system/cilium-config" } });

  test("ipam: cluster-pool is refused: no effect on Pods", () => {
    expect(findingsOf(planOver(scene("cluster-pool"), "10.212.0.0/16"), "cni-ignores-node")).toMatchObject([
      { severity: "blocker", acceptable: true, what: "the change would have no effect on Pods" },
    ]);
  });

  test("ipam: kubernetes is not", () => {
    expect(codes(planOver(scene("kubernetes"), "10.212.0.0/16"))).toEqual([]);
  });
});

describe("C26: duplicates in a cluster of 225 Nodes", () => {
  const scene = () =>
    cluster()
      .kcm({ "cluster-cidr": "172.16.0.0/16" })
      .nodes("n", 224, (index) => `172.16.${index}.0/24`)
      .node("twin", "172.16.7.0/24");

  test("both names are printed; a warning when both are rewritten", () => {
    const plan = planOver(scene(), "172.16.0.0/16");
    expect(findingsOf(plan, "duplicate-removed")).toMatchObject([
      { what: "n7, twin hold the same addresses (172.16.7.0/24)", severity: "warning" },
    ]);
    expect(moves(plan)).toEqual([
      "n7 172.16.7.0/24 -> 172.16.224.0/24 (first free)",
      "twin 172.16.7.0/24 -> 172.16.225.0/24 (first free)",
    ]);
  });

  test("a blocker when one of the pair would keep the block", () => {
    const plan = planOver(scene(), "172.16.0.0/16", { nodes: ["twin"] });
    expect(findingsOf(plan, "duplicate-block")).toMatchObject([
      { what: "n7, twin hold the same addresses (172.16.7.0/24)", severity: "blocker", acceptable: false },
    ]);
  });

  test("the capacity: 256 blocks, 225 used", () => {
    const plan = planOver(scene(), "172.16.0.0/16");
    expect(plan.outline.families[0]).toMatchObject({ blocks: 256n, used: 225 });
    expect(findingsOf(plan, "nearly-full")).toMatchObject([
      { what: "172.16.0.0/16 will be nearly full: 225 of 256 blocks used" },
    ]);
  });
});

describe("C34: the range covers a node's own address", () => {
  test("10.20.0.0/8 is refused for its host bits; 10.0.0.0/8 covers the node 10.0.0.5", () => {
    expect(() => parseCidr("10.20.0.0/8")).toThrow(expect.objectContaining({ code: "invalid-cidr" }));
    const scene = cluster().node("n1", { podCidrs: ["192.168.0.0/24"], addresses: ["10.0.0.5"] });
    expect(findingsOf(planOver(scene, "10.0.0.0/8"), "overlap")).toMatchObject([
      {
        severity: "blocker",
        acceptable: false,
        what: "the new range 10.0.0.0/8 overlaps address 10.0.0.5 of Node n1",
      },
    ]);
  });

  test("10.20.0.0/16 is refused when an InternalIP or a reserved range is inside", () => {
    const outside = cluster().node("n1", { podCidrs: ["192.168.0.0/24"], addresses: ["10.0.0.5"] });
    expect(codes(planOver(outside, "10.20.0.0/16"))).toEqual([]);
    expect(codes(planOver(outside, "10.20.0.0/16", { reserved: ["10.20.7.0/24"] }))).toEqual([
      "blocker overlap",
    ]);
    const inside = cluster().node("n1", { podCidrs: ["192.168.0.0/24"], addresses: ["10.20.3.4"] });
    expect(codes(planOver(inside, "10.20.0.0/16"))).toEqual(["blocker overlap"]);
  });
});

describe("C38: the 255th Pod", () => {
  const scene = () =>
    cluster()
      .node("n1", { podCidrs: ["10.42.0.0/24"], podCapacity: 500 })
      .kcm({ "cluster-cidr": "10.42.0.0/16" });

  test("254 < 500: mask 23 with 510 addresses is proposed", () => {
    const plan = planOver(scene(), "10.52.0.0/16", { nodeMaskSize: 24 });
    expect(findingsOf(plan, "node-block-too-small")).toMatchObject([
      {
        severity: "blocker",
        acceptable: true,
        what: "a /24 has 254 usable addresses, and n1 takes 500 Pods",
        next: "use a mask of /23 (510 usable addresses) or shorter",
      },
    ]);
  });

  test("10.42.0.0/16 has 128 blocks of /23", () => {
    const plan = planOver(scene(), "10.42.0.0/16", { nodeMaskSize: 23 });
    expect(plan.outline.families[0]).toMatchObject({ blocks: 128n });
    expect(codes(plan)).toEqual([]);
  });
});

describe("C40: the mask equals the range", () => {
  test("mask 16 in 10.244.0.0/16 is one block: two Nodes are refused", () => {
    const options = { nodeMaskSize: 16 };
    const one = planOver(cluster().node("n1", "10.244.0.0/24"), "10.244.0.0/16", options);
    expect(one.outline.families[0]).toMatchObject({ blocks: 1n });
    expect(isBlocked(one)).toBe(false);
    const two = cluster().node("n1", "10.244.0.0/24").node("n2", "10.244.1.0/24");
    expect(findingsOf(planOver(two, "10.244.0.0/16", options), "capacity")).toMatchObject([
      { what: "2 Nodes need a block, and 10.244.0.0/16 has 1 block of /16", severity: "blocker" },
    ]);
  });
});

describe("C42: the mask of a Node that is there already", () => {
  test("10.42.0.0/24 -> 10.42.0.0/20 in place is allowed for one Node", () => {
    const plan = planOver(cluster().node("n1", "10.42.0.0/24"), "10.42.0.0/16", { nodeMaskSize: 20 });
    expect(moves(plan)).toEqual(["n1 10.42.0.0/24 -> 10.42.0.0/20 (own block)"]);
    expect(isBlocked(plan)).toBe(false);
  });

  test("17 Nodes have no room in 16 blocks", () => {
    const builder = cluster().nodes("n", 17, (index) => `10.42.${index}.0/24`);
    const plan = planOver(builder, "10.42.0.0/16", { nodeMaskSize: 20, accept: ["overlaps-current-block"] });
    expect(isBlocked(plan)).toBe(true);
    expect(findingsOf(plan, "capacity")).toMatchObject([
      { what: "17 Nodes need a block, and 10.42.0.0/16 has 16 blocks of /20", severity: "blocker" },
    ]);
  });
});

describe("C44: a grown block must not cover others", () => {
  const three = () =>
    cluster().node("n1", "10.0.0.0/27").node("n2", "10.0.0.32/27").node("n3", "10.0.0.64/27");

  test("10.0.0.0/24 is not given to the Node that joined again", () => {
    const plan = planOver(three().node("re-added"), "10.0.0.0/16", {
      nodeMaskSize: 24,
      nodes: ["re-added"],
      assignMissing: true,
    });
    expect(moves(plan)).toEqual(["re-added none -> 10.0.1.0/24 (first free)"]);
  });

  test("nor to one of the three while the others are inside", () => {
    const builder = three();
    const plan = planOver(builder, "10.0.0.0/16", { nodeMaskSize: 24 });
    expect(Object.values(blocksAfter(builder.build(), plan))).not.toContain("10.0.0.0/24");
    expect(isBlocked(plan)).toBe(false);
  });
});

describe("C46: 0/256 nodes are available", () => {
  const scene = (count: number) =>
    cluster().nodes("n", count, (index) => `10.${index >> 8}.${index & 255}.0/24`);

  test("210 of 256 is a warning, 204 is none", () => {
    expect(codes(planOver(scene(210), "10.212.0.0/16"))).toEqual(["warning nearly-full"]);
    expect(codes(planOver(scene(204), "10.212.0.0/16"))).toEqual([]);
  });

  test("256 of 256 is a warning, the 257th is refused", () => {
    expect(codes(planOver(scene(256), "10.212.0.0/16"))).toEqual(["warning nearly-full"]);
    expect(codes(planOver(scene(257), "10.212.0.0/16"))).toEqual(["blocker capacity"]);
  });
});

describe("C82: a range that swallows the Services", () => {
  const services = [{ cidr: "10.96.0.0/12", source: "/registry/servicecidrs/kubernetes" }];
  const scene = () => cluster().node("n1", "192.168.0.0/24").with({ serviceRanges: services });

  test("10.0.0.0/8 contains 10.96.0.0/12 and is refused; 10.244.0.0/16 passes", () => {
    expect(findingsOf(planOver(scene(), "10.0.0.0/8"), "overlap")).toMatchObject([
      {
        severity: "blocker",
        acceptable: false,
        what: "the new range 10.0.0.0/8 overlaps service range 10.96.0.0/12 (/registry/servicecidrs/kubernetes)",
      },
    ]);
    expect(codes(planOver(scene(), "10.244.0.0/16"))).toEqual([]);
  });
});

describe("C84: the host's network inside the pod range", () => {
  test.each([
    ["10.1.0.0/16", "10.1.3.7"],
    ["192.168.0.0/16", "192.168.50.10"],
  ])("%s with the node at %s is refused", (target, address) => {
    const plan = planOver(
      cluster().node("n1", { podCidrs: ["10.244.0.0/24"], addresses: [address] }),
      target,
    );
    expect(findingsOf(plan, "overlap")).toMatchObject([{ severity: "blocker", acceptable: false }]);
  });
});

describe("C86: a VPN's range", () => {
  const scene = () => cluster().node("n1", "10.244.0.0/24");

  test.each(["100.96.0.0/11", "100.64.0.0/13"])("with 100.64.0.0/10 reserved %s is refused", (target) => {
    expect(codes(planOver(scene(), target, { reserved: ["100.64.0.0/10"] }))).toContain("blocker overlap");
    expect(codes(planOver(scene(), target))).toEqual([]);
  });

  test("pods 172.16.0.0/13 beside services 172.24.0.0/15 pass", () => {
    const services = [{ cidr: "172.24.0.0/15", source: "/registry/servicecidrs/kubernetes" }];
    expect(codes(planOver(scene().with({ serviceRanges: services }), "172.16.0.0/13"))).toEqual([]);
  });
});

describe("C88: public ranges used as private", () => {
  test.each(["172.168.0.0/16", "192.169.0.0/16", "101.64.0.0/10"])("%s has to be accepted", (target) => {
    const scene = cluster().node("n1", "10.244.0.0/24");
    expect(codes(planOver(scene, target))).toEqual(["blocker not-private"]);
    expect(isBlocked(planOver(scene, target))).toBe(true);
    expect(isBlocked(planOver(scene, target, { accept: ["not-private"] }))).toBe(false);
  });

  test("100.64.0.0/10 is private", () => {
    expect(codes(planOver(cluster().node("n1", "10.244.0.0/24"), "100.64.0.0/10"))).toEqual([]);
  });
});

describe("C90: two allocators over one range", () => {
  test("Nodes move from 10.244.0.0/16 to 100.65.0.0/16 while Pods stay where they are", () => {
    const scene = cluster()
      .kcm({ "cluster-cidr": "10.244.0.0/16" })
      .node("n1", "10.244.3.0/24")
      .pod("default/web", "n1", "10.244.200.7")
      .with({ cilium: { nodes: [], ipam: "cluster-pool", configKey: "cilium-config" } });
    expect(isBlocked(planOver(scene, "100.65.0.0/16"))).toBe(true);
    const plan = planOver(scene, "100.65.0.0/16", { accept: ["cni-ignores-node"] });
    expect(isBlocked(plan)).toBe(false);
    expect(moves(plan)).toEqual(["n1 10.244.3.0/24 -> 100.65.3.0/24 (index 3)"]);
  });
});

describe("C92: IPv6 put first on an IPv4 cluster", () => {
  test.each([false, true])("is refused, with --add-family %s", (addFamily) => {
    const scene = cluster().kcm({ "cluster-cidr": "10.244.0.0/16" }).node("n1", "10.244.0.0/24");
    const plan = planOver(scene, "fd00::/108,10.244.0.0/16", { addFamily, nodeMaskSizeIpv6: 120 });
    expect(findingsOf(plan, "family-order")).toMatchObject([
      {
        severity: "blocker",
        acceptable: false,
        keys: ["/registry/minions/n1"],
        next: "give the ranges in the order of the Nodes' podCIDRs; a new family comes last",
      },
    ]);
  });
});

describe("C94: a family added to existing Nodes", () => {
  const scene = (count: number) =>
    cluster()
      .kcm({ "cluster-cidr": "10.42.0.0/16" })
      .nodes("n", count, (index) => `10.${42 + (index >> 8)}.${index & 255}.0/24`);

  test("writes [10.42.i.0/24, fc00:a0:0:i::/64] and leaves podCIDR", () => {
    const plan = planOver(scene(3), "fc00:a0::/56", { addFamily: true, nodeMaskSize: 64 });
    expect(updates(plan).map(({ edits }) => edits)).toEqual(
      [0, 1, 2].map((index) => [
        {
          path: "spec.podCIDRs",
          old: [`10.42.${index}.0/24`],
          new: [`10.42.${index}.0/24`, index === 0 ? "fc00:a0::/64" : `fc00:a0:0:${index}::/64`],
        },
      ]),
    );
  });

  test("refuses a 257th Node", () => {
    const options = { addFamily: true, nodeMaskSize: 64 };
    expect(isBlocked(planOver(scene(256), "fc00:a0::/56", options))).toBe(false);
    expect(findingsOf(planOver(scene(257), "fc00:a0::/56", options), "capacity")).toMatchObject([
      { what: "257 Nodes need a block, and fc00:a0::/56 has 256 blocks of /64" },
    ]);
  });
});

describe("C113: an extra Node that nobody runs", () => {
  const scene = () =>
    cluster()
      .kcm({ "cluster-cidr": "10.244.0.0/16" })
      .node("fake-node-000000", "10.0.0.0/24")
      .node("n1", "10.244.0.0/24");

  test("is not remapped silently: it is listed and left alone", () => {
    const plan = planOver(scene(), "10.212.0.0/16");
    expect(moves(plan)).toEqual(["n1 10.244.0.0/24 -> 10.212.0.0/24 (index 0)"]);
    expect(findingsOf(plan, "left-alone")).toMatchObject([
      { severity: "warning", what: "1 Node left alone for IPv4: fake-node-000000" },
    ]);
  });

  test("--node takes it along, to the first free block", () => {
    const plan = planOver(scene(), "10.212.0.0/16", { nodes: ["fake-node-000000", "n1"] });
    expect(moves(plan)).toEqual([
      "fake-node-000000 10.0.0.0/24 -> 10.212.1.0/24 (first free)",
      "n1 10.244.0.0/24 -> 10.212.0.0/24 (index 0)",
    ]);
  });
});

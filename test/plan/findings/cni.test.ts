import { describe, expect, test } from "vitest";
import type { CalicoFacts } from "../../../src/objects/calico.js";
import { cluster } from "../../harness/read-set.js";
import { codes, findingsOf, planOver } from "../scene.js";

const scene = () => cluster().kcm({ "cluster-cidr": "10.112.0.0/16" }).node("n1", "10.112.0.0/24");
const NEXT = "change the network plugin's own pool, unless that is done and the Nodes are to follow";
const FROM_THERE = "Pods get their addresses there, not from Node.spec.podCIDR";

describe("cni-ignores-node", () => {
  const configKey = "/registry/configmaps/kube-system/cilium-config";

  test("Cilium with an ipam of its own", () => {
    const plan = planOver(
      scene().with({ cilium: { nodes: [], ipam: "multi-pool", configKey } }),
      "10.212.0.0/16",
    );
    expect(findingsOf(plan, "cni-ignores-node")).toEqual([
      {
        code: "cni-ignores-node",
        severity: "blocker",
        acceptable: true,
        keys: [configKey],
        what: "the change would have no effect on Pods",
        why: `cilium-config says ipam: multi-pool: ${FROM_THERE}`,
        next: NEXT,
      },
    ]);
  });

  const calico = (facts: Partial<CalicoFacts>): { calico: CalicoFacts } => ({
    calico: { pools: [], affinityKeys: [], usesPodCidr: false, ...facts },
  });
  const affinityKeys = ["/registry/crd.projectcalico.org/blockaffinities/n1-10-112-0-0-26"];

  test("Calico with block affinities and without usePodCidr", () => {
    const plan = planOver(scene().with(calico({ affinityKeys })), "10.212.0.0/16");
    expect(findingsOf(plan, "cni-ignores-node")).toEqual([
      {
        code: "cni-ignores-node",
        severity: "blocker",
        acceptable: true,
        keys: affinityKeys,
        what: "the change would have no effect on Pods",
        why: `Calico's own IPAM has given the nodes blocks, and usePodCidr is not set: ${FROM_THERE}`,
        next: NEXT,
      },
    ]);
  });

  test("OVN-Kubernetes' annotations", () => {
    const builder = cluster().node("n1", {
      podCidrs: ["10.112.0.0/24"],
      ovnSubnets: '{"default":["10.128.0.0/23"]}',
    });
    expect(findingsOf(planOver(builder, "10.212.0.0/16"), "cni-ignores-node")).toEqual([
      {
        code: "cni-ignores-node",
        severity: "blocker",
        acceptable: true,
        keys: ["/registry/minions/n1"],
        what: "the change would have no effect on Pods",
        why: `OVN-Kubernetes keeps the Nodes' subnets in annotation k8s.ovn.org/node-subnets: ${FROM_THERE}`,
        next: NEXT,
      },
    ]);
  });

  test.each([
    ["Cilium under ipam: kubernetes", { cilium: { nodes: [], ipam: "kubernetes", configKey } }],
    ["Calico with usePodCidr", calico({ affinityKeys, usesPodCidr: true })],
    ["Calico without block affinities", calico({})],
  ])("not %s", (_title, rest) => {
    expect(codes(planOver(scene().with(rest), "10.212.0.0/16"))).toEqual([]);
  });
});

describe("calico-pools", () => {
  const pools = [{ key: "/registry/crd.projectcalico.org/ippools/default", cidr: "192.168.0.0/16" }];

  test("are merely present", () => {
    const plan = planOver(
      scene().with({ calico: { pools, affinityKeys: [], usesPodCidr: false } }),
      "10.212.0.0/16",
    );
    expect(findingsOf(plan, "calico-pools")).toEqual([
      {
        code: "calico-pools",
        severity: "warning",
        acceptable: false,
        keys: ["/registry/crd.projectcalico.org/ippools/default"],
        what: "there are Calico IP pools: 192.168.0.0/16",
        why: "under Calico's own IPAM Pods get their addresses from these, not from the Nodes' blocks",
        next: "if Calico is in use here, change its pools too",
      },
    ]);
  });

  test("are more than present where Calico's IPAM is at work: the blocker says it", () => {
    const rest = { calico: { pools, affinityKeys: ["a"], usesPodCidr: false } };
    expect(codes(planOver(scene().with(rest), "10.212.0.0/16"))).toEqual(["blocker cni-ignores-node"]);
  });

  test("are told of beside another plugin's blocker", () => {
    const rest = {
      calico: { pools, affinityKeys: [], usesPodCidr: false },
      cilium: { nodes: [], ipam: "cluster-pool" },
    };
    expect(codes(planOver(scene().with(rest), "10.212.0.0/16"))).toEqual([
      "blocker cni-ignores-node",
      "warning calico-pools",
    ]);
  });
});

describe("flannel-range", () => {
  const key = "/registry/configmaps/kube-flannel/kube-flannel-cfg";

  test("net-conf does not contain the new blocks", () => {
    const plan = planOver(scene().with({ flannel: { key, network: "10.112.0.0/16" } }), "10.212.0.0/16");
    expect(findingsOf(plan, "flannel-range")).toEqual([
      {
        code: "flannel-range",
        severity: "warning",
        acceptable: false,
        keys: [key],
        what: "flanneld will not start on n1",
        why: "net-conf.json says Network 10.112.0.0/16, which does not contain the new blocks",
        next: "edit net-conf.json right after the change, before any flanneld or node restarts",
      },
    ]);
  });

  test("for IPv6 that is IPv6Network", () => {
    const builder = cluster()
      .node("n1", ["10.112.0.0/24", "fd00:10:112::/64"])
      .with({ flannel: { key, network: "10.112.0.0/16" } });
    expect(findingsOf(planOver(builder, "fd00:10:212::/48"), "flannel-range")).toMatchObject([
      { why: "net-conf.json says IPv6Network (nothing), which does not contain the new blocks" },
    ]);
  });

  test("a network that contains them is right, and Nodes that are not changed are no matter", () => {
    const wide = scene().with({ flannel: { key, network: "10.0.0.0/8" } });
    expect(codes(planOver(wide, "10.212.0.0/16"))).toEqual([]);
    const done = cluster()
      .node("n1", "10.212.0.0/24")
      .with({ flannel: { key, network: "10.112.0.0/16" } });
    expect(codes(planOver(done, "10.212.0.0/16"))).toEqual([]);
  });
});

describe("cilium-nodes-differ", () => {
  const key = "/registry/cilium.io/ciliumnodes/n1";
  const withCilium = (podCidrs: string[], ipam = "kubernetes") =>
    scene().with({
      cilium: { ipam, nodes: [{ key, name: "n1", podCidrs, poolCidrs: [], internalIps: [] }] },
    });

  test("under ipam: kubernetes, agents are still to be restarted", () => {
    expect(
      findingsOf(planOver(withCilium(["10.112.0.0/24"]), "10.212.0.0/16"), "cilium-nodes-differ"),
    ).toEqual([
      {
        code: "cilium-nodes-differ",
        severity: "warning",
        acceptable: false,
        keys: [key],
        what: "CiliumNodes will name other blocks than the Nodes: n1",
        why: "under ipam: kubernetes an agent copies the Node's block when it starts",
        next: "restart the cilium agents after the change",
      },
    ]);
  });

  test("not where they have the new block already, nor for a CiliumNode without a Node", () => {
    expect(codes(planOver(withCilium(["10.212.0.0/24"]), "10.212.0.0/16"))).toEqual([]);
    const stray = {
      ipam: "kubernetes",
      nodes: [{ key, name: "gone", podCidrs: ["10.112.9.0/24"], poolCidrs: [], internalIps: [] }],
    };
    expect(codes(planOver(scene().with({ cilium: stray }), "10.212.0.0/16"))).toEqual([]);
  });

  test("not under another ipam: there it is the blocker", () => {
    expect(codes(planOver(withCilium(["10.112.0.0/24"], "cluster-pool"), "10.212.0.0/16"))).toEqual([
      "blocker cni-ignores-node",
    ]);
  });
});

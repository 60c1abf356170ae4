import { describe, expect, test } from "vitest";
import type { ChangePodCidrIntent } from "../../src/plan/intent.js";
import { remainingSteps } from "../../src/plan/remaining-steps.js";
import { type ClusterBuilder, cluster } from "../harness/read-set.js";
import { applied, journaled, planOver, rollbackOver } from "./scene.js";

function stepsOf(
  builder: ClusterBuilder,
  cidrs: string,
  options: Partial<ChangePodCidrIntent> = {},
): string[] {
  const { outline } = planOver(builder, cidrs, options);
  return remainingSteps(outline.families, builder.build(), outline.nodes).map(
    ({ where, what }) => `${where}: ${what}`,
  );
}

const one = () => cluster().node("n1", "10.112.0.0/24");
const dual = () => cluster().node("n1", ["10.112.0.0/24", "fd00:1::/64"]);
const DUAL = "10.112.0.0/16,fd00:1::/48";

describe("kube-controller-manager's flags", () => {
  const rows: [
    string,
    () => ClusterBuilder,
    Record<string, string>,
    string,
    Partial<ChangePodCidrIntent>,
    string,
  ][] = [
    [
      "range and mask",
      one,
      { "cluster-cidr": "10.112.0.0/16", "node-cidr-mask-size": "24" },
      "10.212.0.0/16",
      { nodeMaskSize: 22 },
      "set --cluster-cidr=10.212.0.0/16 --node-cidr-mask-size=22 and restart it",
    ],
    [
      "a mask that is the default is not spelled out",
      one,
      { "cluster-cidr": "10.112.0.0/16" },
      "10.212.0.0/16",
      {},
      "set --cluster-cidr=10.212.0.0/16 and restart it",
    ],
    [
      "a mask flag that would say another thing is set to the default",
      one,
      { "cluster-cidr": "10.112.0.0/16", "node-cidr-mask-size": "26" },
      "10.212.0.0/16",
      { nodeMaskSize: 24 },
      "set --cluster-cidr=10.212.0.0/16 --node-cidr-mask-size=24 and restart it",
    ],
    [
      "the family's own flag where that one is in use: both are refused together",
      one,
      { "cluster-cidr": "10.112.0.0/16", "node-cidr-mask-size-ipv4": "24" },
      "10.212.0.0/16",
      { nodeMaskSize: 22 },
      "set --cluster-cidr=10.212.0.0/16 --node-cidr-mask-size-ipv4=22 and restart it",
    ],
    [
      "the target already, with the wrong mask",
      one,
      { "cluster-cidr": "10.212.0.0/16" },
      "10.212.0.0/16",
      { nodeMaskSize: 22 },
      "set --node-cidr-mask-size=22 and restart it",
    ],
    [
      "all there already",
      one,
      { "cluster-cidr": "10.212.0.0/16", "node-cidr-mask-size": "22" },
      "10.212.0.0/16",
      {},
      "has these flags already; restart it",
    ],
    [
      "one family of two, in its place",
      dual,
      { "cluster-cidr": DUAL },
      "fd00:2::/48",
      { nodeMaskSizeIpv6: 72 },
      "set --cluster-cidr=10.112.0.0/16,fd00:2::/48 --node-cidr-mask-size-ipv6=72 and restart it",
    ],
    [
      "the first family of two",
      dual,
      { "cluster-cidr": DUAL, "node-cidr-mask-size-ipv4": "24", "node-cidr-mask-size-ipv6": "64" },
      "10.212.0.0/16",
      { nodeMaskSizeIpv4: 22 },
      "set --cluster-cidr=10.212.0.0/16,fd00:1::/48 --node-cidr-mask-size-ipv4=22 and restart it",
    ],
    [
      "IPv6 alone takes the flag of its own",
      () => cluster().node("n1", "fd00:1::/64"),
      { "cluster-cidr": "fd00:1::/48" },
      "fd00:2::/48",
      { nodeMaskSize: 72 },
      "set --cluster-cidr=fd00:2::/48 --node-cidr-mask-size-ipv6=72 and restart it",
    ],
    [
      "or the general one, where that is in use",
      () => cluster().node("n1", "fd00:1::/64"),
      { "cluster-cidr": "fd00:1::/48", "node-cidr-mask-size": "64" },
      "fd00:2::/48",
      { nodeMaskSize: 72 },
      "set --cluster-cidr=fd00:2::/48 --node-cidr-mask-size=72 and restart it",
    ],
    [
      "a family added behind: the general mask flag is refused beside two ranges",
      one,
      { "cluster-cidr": "10.112.0.0/16", "node-cidr-mask-size": "26" },
      "fd00:2::/48",
      { addFamily: true },
      "set --cluster-cidr=10.112.0.0/16,fd00:2::/48 --node-cidr-mask-size-ipv4=26, remove --node-cidr-mask-size and restart it",
    ],
  ];

  test.each(rows)("%s", (_title, builder, flags, cidrs, options, what) => {
    expect(stepsOf(builder().kcm(flags), cidrs, options)).toEqual([
      `host kube-1: kube-controller-manager: ${what}`,
    ]);
  });

  test("for each control-plane host, those with the same together", () => {
    const old = { "cluster-cidr": "10.112.0.0/16" };
    const builder = one()
      .kcm(old, "kube-1")
      .kcm({ "cluster-cidr": "10.212.0.0/16" }, "kube-2")
      .kcm(old, "kube-3");
    expect(stepsOf(builder, "10.212.0.0/16")).toEqual([
      "hosts kube-1, kube-3: kube-controller-manager: set --cluster-cidr=10.212.0.0/16 and restart it",
      "host kube-2: kube-controller-manager: has these flags already; restart it",
    ]);
  });

  test("without a mirror Pod they are for every host", () => {
    expect(stepsOf(one(), "10.212.0.0/16", { nodeMaskSize: 22 })).toEqual([
      "every control-plane host: start kube-controller-manager with --cluster-cidr=10.212.0.0/16 --node-cidr-mask-size=22",
    ]);
    expect(stepsOf(dual(), "10.212.0.0/16,fd00:2::/48", { nodeMaskSizeIpv4: 22 })).toEqual([
      "every control-plane host: start kube-controller-manager with --cluster-cidr=10.212.0.0/16,fd00:2::/48 --node-cidr-mask-size-ipv4=22",
    ]);
  });
});

describe("kubeadm-config", () => {
  const kubeadmStep = (podSubnet: string, args: Record<string, string>, cidrs: string, options = {}) =>
    stepsOf(
      one().kcm({ "cluster-cidr": cidrs, "node-cidr-mask-size": "22" }).kubeadm(podSubnet, args),
      cidrs,
      options,
    ).slice(1);
  const LAST = "(else the next kubeadm upgrade brings the old values back)";
  const WHERE = "ConfigMap kube-system/kubeadm-config";

  test("its podSubnet, and the mask in extraArgs, whether it stands there or not", () => {
    const edits = `set networking.podSubnet to 10.212.0.0/16, set node-cidr-mask-size to "22" in controllerManager.extraArgs`;
    expect(kubeadmStep("10.112.0.0/16", {}, "10.212.0.0/16")).toEqual([`${WHERE}: ${edits} ${LAST}`]);
    expect(kubeadmStep("10.112.0.0/16", { "node-cidr-mask-size": "24" }, "10.212.0.0/16")).toEqual([
      `${WHERE}: ${edits} ${LAST}`,
    ]);
  });

  test("nothing where it says so already", () => {
    expect(kubeadmStep("10.212.0.0/16", { "node-cidr-mask-size": "22" }, "10.212.0.0/16")).toEqual([]);
  });

  test("a cluster-cidr in extraArgs, too, where it stands there", () => {
    const args = { "cluster-cidr": "10.112.0.0/16", "node-cidr-mask-size": "22" };
    const builder = one()
      .kcm({ "cluster-cidr": "10.212.0.0/16", "node-cidr-mask-size": "22" })
      .kubeadm("10.212.0.0/16", args);
    expect(stepsOf(builder, "10.212.0.0/16", { nodeMaskSize: 22 })[1]).toBe(
      `${WHERE}: set cluster-cidr to "10.212.0.0/16" in controllerManager.extraArgs ${LAST}`,
    );
  });

  test("not where it has no podSubnet", () => {
    const kubeadm = { key: "k", controllerManagerArgs: new Map() };
    expect(stepsOf(one().with({ kubeadm }), "10.212.0.0/16")).toHaveLength(1);
  });

  test("the general mask goes when there are two ranges", () => {
    const builder = one().kubeadm("10.112.0.0/16", { "node-cidr-mask-size": "24" });
    expect(stepsOf(builder, "fd00:2::/48", { addFamily: true })[1]).toBe(
      `${WHERE}: set networking.podSubnet to 10.112.0.0/16,fd00:2::/48, remove node-cidr-mask-size from controllerManager.extraArgs ${LAST}`,
    );
  });
});

describe("flannel", () => {
  const key = "/registry/configmaps/kube-flannel/kube-flannel-cfg";
  const NOW = "in net-conf.json now, before any flanneld or node restarts";
  const REST =
    "flannel on every node: restart all flanneld, give cni0 its new address first on every node, and only then renew Pods";

  test("its net-conf first", () => {
    const builder = dual().with({ flannel: { key, network: "10.112.0.0/16", ipv6Network: "fd00:1::/48" } });
    expect(stepsOf(builder, "10.212.0.0/16,fd00:2::/48")).toEqual([
      `ConfigMap kube-flannel/kube-flannel-cfg: set Network to 10.212.0.0/16 and set IPv6Network to fd00:2::/48 ${NOW}`,
      "every control-plane host: start kube-controller-manager with --cluster-cidr=10.212.0.0/16,fd00:2::/48",
      REST,
    ]);
  });

  test("its restarts alone where that is done", () => {
    const builder = one().with({ flannel: { key, network: "10.212.0.0/16" } });
    expect(stepsOf(builder, "10.212.0.0/16").slice(1)).toEqual([REST]);
  });
});

describe("kube-proxy", () => {
  const steps = (clusterCidr: string | undefined, detectLocalMode?: string) =>
    stepsOf(
      one().kubeProxy({
        ...(clusterCidr === undefined ? {} : { clusterCidr }),
        ...(detectLocalMode === undefined ? {} : { detectLocalMode }),
      }),
      "10.212.0.0/16",
    ).slice(1);
  const WHERE = "ConfigMap kube-system/kube-proxy";

  test("its clusterCIDR, and a restart", () => {
    expect(steps("10.112.0.0/16")).toEqual([
      `${WHERE}: set clusterCIDR to 10.212.0.0/16 and restart kube-proxy on every node`,
    ]);
    expect(steps("10.212.0.0/16")).toEqual([`${WHERE}: restart kube-proxy on every node`]);
    expect(steps("10.112.0.0/16,fd00:1::/48")).toEqual([
      `${WHERE}: set clusterCIDR to 10.212.0.0/16,fd00:1::/48 and restart kube-proxy on every node`,
    ]);
  });

  test("nothing where it knows no range", () => {
    expect(steps(undefined)).toEqual([]);
    expect(steps("")).toEqual([]);
  });

  test("under NodeCIDR it exits by itself", () => {
    expect(steps("10.112.0.0/16", "NodeCIDR")).toEqual([
      `${WHERE}: nothing to edit; with detectLocalMode NodeCIDR each kube-proxy exits at the change and is restarted`,
    ]);
  });
});

describe("others", () => {
  test("Cilium's agents under ipam: kubernetes", () => {
    expect(stepsOf(one().with({ cilium: { nodes: [], ipam: "kubernetes" } }), "10.212.0.0/16")).toContain(
      "DaemonSet cilium: restart the agents: each takes over its Node's new block when it starts",
    );
    expect(
      stepsOf(one().with({ cilium: { nodes: [], ipam: "cluster-pool" } }), "10.212.0.0/16"),
    ).toHaveLength(1);
  });

  test("the cloud-controller-manager, where it knows the range", () => {
    const builder = one().component(
      "cloud-controller-manager",
      { "cluster-cidr": "10.112.0.0/16" },
      "kube-2",
    );
    expect(stepsOf(builder, "10.212.0.0/16")).toContain(
      "host kube-2: cloud-controller-manager: set --cluster-cidr=10.212.0.0/16",
    );
    expect(stepsOf(one().component("cloud-controller-manager", {}), "10.212.0.0/16")).toHaveLength(1);
  });

  test("in the order in which they have to be done", () => {
    const builder = one()
      .component("cloud-controller-manager", { "cluster-cidr": "10.112.0.0/16" })
      .kubeProxy({ clusterCidr: "10.112.0.0/16" })
      .kubeadm("10.112.0.0/16")
      .kcm({ "cluster-cidr": "10.112.0.0/16" })
      .with({
        cilium: { nodes: [], ipam: "kubernetes" },
        flannel: { key: "/registry/configmaps/kube-system/kube-flannel-cfg", network: "10.112.0.0/16" },
      });
    const { outline } = planOver(builder, "10.212.0.0/16");
    expect(
      remainingSteps(outline.families, builder.build(), outline.nodes).map(({ where }) => where),
    ).toEqual([
      "ConfigMap kube-system/kube-flannel-cfg",
      "host kube-1",
      "ConfigMap kube-system/kubeadm-config",
      "flannel on every node",
      "DaemonSet cilium",
      "ConfigMap kube-system/kube-proxy",
      "host kube-1",
    ]);
  });
});

describe("after a rollback that takes a family away", () => {
  test("its range and its mask flag go, and what held for two ranges", () => {
    const builder = one();
    const plan = planOver(builder, "fd00:2::/56", { addFamily: true, nodeMaskSize: 72 });
    const now = one()
      .kcm({ "cluster-cidr": "10.112.0.0/16,fd00:2::/56", "node-cidr-mask-size-ipv6": "72" })
      .kubeadm("10.112.0.0/16,fd00:2::/56", { "node-cidr-mask-size-ipv6": "72" })
      .kubeProxy({ clusterCidr: "10.112.0.0/16,fd00:2::/56" })
      .with({
        flannel: {
          key: "/registry/configmaps/kube-flannel/kube-flannel-cfg",
          network: "10.112.0.0/16",
          ipv6Network: "fd00:2::/56",
        },
      })
      .build();
    const back = rollbackOver(applied(now, plan), journaled(plan));
    expect(remainingSteps(back.outline.families, now, back.outline.nodes).map(({ what }) => what)).toEqual([
      "remove IPv6Network in net-conf.json now, before any flanneld or node restarts",
      "kube-controller-manager: set --cluster-cidr=10.112.0.0/16, remove --node-cidr-mask-size-ipv6 and restart it",
      "set networking.podSubnet to 10.112.0.0/16, remove node-cidr-mask-size-ipv6 from controllerManager.extraArgs " +
        "(else the next kubeadm upgrade brings the old values back)",
      "restart all flanneld, give cni0 its new address first on every node, and only then renew Pods",
      "set clusterCIDR to 10.112.0.0/16 and restart kube-proxy on every node",
    ]);
  });
});

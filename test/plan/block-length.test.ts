import { describe, expect, test } from "vitest";
import type { ChangePodCidrIntent } from "../../src/plan/intent.js";
import { type ClusterBuilder, cluster } from "../harness/read-set.js";
import { planOver } from "./scene.js";

const maskOf = (builder: ClusterBuilder, cidrs: string, options: Partial<ChangePodCidrIntent> = {}) => {
  const [family] = planOver(builder, cidrs, options).outline.families;
  return [family?.nodeMask, family?.nodeMaskSource];
};

const errorOf = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe("the mask", () => {
  const nodes = () => cluster().node("n1", "10.112.0.0/25").node("n2", "10.112.1.0/25");

  test("as asked for", () => {
    expect(maskOf(nodes(), "10.212.0.0/16", { nodeMaskSize: 22 })).toEqual([22, "as asked for"]);
    expect(maskOf(nodes(), "10.212.0.0/16", { nodeMaskSizeIpv4: 23 })).toEqual([23, "as asked for"]);
  });

  test("kube-controller-manager's own flag, when its --cluster-cidr is the target", () => {
    const changed = (flags: Record<string, string>) =>
      maskOf(nodes().kcm({ "cluster-cidr": "10.212.0.0/16", ...flags }), "10.212.0.0/16");
    expect(changed({ "node-cidr-mask-size": "22" })).toEqual([
      22,
      "--node-cidr-mask-size of kube-controller-manager on kube-1",
    ]);
    expect(changed({ "node-cidr-mask-size-ipv4": "21" })).toEqual([
      21,
      "--node-cidr-mask-size-ipv4 of kube-controller-manager on kube-1",
    ]);
    expect(changed({})).toEqual([
      24,
      "default of kube-controller-manager on kube-1, whose --cluster-cidr is the target already",
    ]);
  });

  test("also when the flags name a second range that is not given", () => {
    const flags = {
      "cluster-cidr": "10.212.0.0/16,fd00:1::/48",
      "node-cidr-mask-size-ipv4": "22",
      "node-cidr-mask-size-ipv6": "72",
    };
    expect(maskOf(nodes().kcm(flags), "10.212.0.0/16")[0]).toBe(22);
  });

  test("its default for IPv6 is 64", () => {
    const builder = cluster().kcm({ "cluster-cidr": "fd00:10:212::/48" }).node("n1", "fd00:10:112::/72");
    expect(maskOf(builder, "fd00:10:212::/48")[0]).toBe(64);
  });

  test("its flags are no matter while they say another range", () => {
    const builder = nodes().kcm({ "cluster-cidr": "10.112.0.0/16", "node-cidr-mask-size": "24" });
    expect(maskOf(builder, "10.212.0.0/16")).toEqual([25, "as all Nodes have now"]);
  });

  test("that of all Nodes, of those outside none", () => {
    const builder = nodes().kcm({ "cluster-cidr": "10.112.0.0/16" }).node("stray", "10.0.0.0/24");
    expect(maskOf(builder, "10.212.0.0/16")[0]).toBe(25);
  });

  test("without any block the default of the family", () => {
    expect(maskOf(cluster().node("n1"), "10.212.0.0/16")).toEqual([24, "kube-controller-manager's default"]);
    expect(maskOf(cluster().node("n1"), "fd00::/48")).toEqual([64, "kube-controller-manager's default"]);
  });
});

describe("a mask that cannot be told is asked for", () => {
  test("Nodes differ", () => {
    const builder = cluster().node("n1", "10.112.1.0/24").node("n2", "10.112.0.0/25");
    expect(errorOf(() => planOver(builder, "10.212.0.0/16"))).toMatchObject({
      code: "usage",
      explanation: {
        what: "cannot tell the size of the new IPv4 blocks",
        why: "the Nodes have blocks of /24 and /25 now",
        now: "nothing was written",
        next: "say which with --node-cidr-mask-size-ipv4 <bits>",
      },
    });
  });

  test("what it then asks for goes with two ranges, too", () => {
    const builder = cluster()
      .node("n1", ["10.112.1.0/24", "fd00:10:112::/64"])
      .node("n2", ["10.112.0.0/25", "fd00:10:112:1::/64"]);
    expect(errorOf(() => planOver(builder, "10.212.0.0/16,fd00:10:212::/48"))).toMatchObject({
      explanation: { next: "say which with --node-cidr-mask-size-ipv4 <bits>" },
    });
    const plan = planOver(builder, "10.212.0.0/16,fd00:10:212::/48", { nodeMaskSizeIpv4: 24 });
    expect(plan.outline.families.map(({ nodeMask }) => nodeMask)).toEqual([24, 64]);
  });

  test("changed kube-controller-managers differ", () => {
    const builder = cluster()
      .kcm({ "cluster-cidr": "10.212.0.0/16", "node-cidr-mask-size": "22" }, "kube-1")
      .kcm({ "cluster-cidr": "10.212.0.0/16" }, "kube-2")
      .node("n1", "10.112.0.0/24");
    expect(errorOf(() => planOver(builder, "10.212.0.0/16"))).toMatchObject({
      code: "usage",
      explanation: {
        why:
          "it is /22 by --node-cidr-mask-size of kube-controller-manager on kube-1, and /24 by " +
          "default of kube-controller-manager on kube-2, whose --cluster-cidr is the target already",
      },
    });
  });

  test.each(["true", "0", "33", "22.5"])("the flag is %s", (text) => {
    const builder = cluster()
      .kcm({ "cluster-cidr": "10.212.0.0/16", "node-cidr-mask-size": text })
      .node("n1", "10.112.0.0/24");
    expect(errorOf(() => planOver(builder, "10.212.0.0/16"))).toMatchObject({
      code: "usage",
      explanation: { why: `--node-cidr-mask-size of kube-controller-manager on kube-1 is "${text}"` },
    });
  });
});

describe("kube-controller-manager's rules of exclusion", () => {
  const DUAL = "10.212.0.0/16,fd00:10:212::/48";
  const rows: [string, string, Partial<ChangePodCidrIntent>, string, string][] = [
    [
      "the general flag with two ranges",
      DUAL,
      { nodeMaskSize: 24 },
      "--node-cidr-mask-size does not go with two cluster CIDRs",
      "use --node-cidr-mask-size-ipv4 and --node-cidr-mask-size-ipv6",
    ],
    [
      "the general flag beside IPv4's",
      "10.212.0.0/16",
      { nodeMaskSize: 24, nodeMaskSizeIpv4: 24 },
      "--node-cidr-mask-size does not go with --node-cidr-mask-size-ipv4 or -ipv6",
      "give one of them",
    ],
    [
      "the general flag beside IPv6's",
      "fd00:10:212::/48",
      { nodeMaskSize: 64, nodeMaskSizeIpv6: 64 },
      "--node-cidr-mask-size does not go with --node-cidr-mask-size-ipv4 or -ipv6",
      "give one of them",
    ],
    [
      "IPv4's flag with an IPv6 range",
      "fd00:10:212::/48",
      { nodeMaskSizeIpv4: 24 },
      "--node-cidr-mask-size-ipv4 does not go with this cluster CIDR",
      "leave it out",
    ],
    [
      "IPv6's flag with an IPv4 range",
      "10.212.0.0/16",
      { nodeMaskSizeIpv6: 64 },
      "--node-cidr-mask-size-ipv6 does not go with this cluster CIDR",
      "leave it out",
    ],
    ["33 bits", "10.212.0.0/16", { nodeMaskSize: 33 }, "a node mask of /33 is not possible", "correct it"],
    ["no bit", "10.212.0.0/16", { nodeMaskSize: 0 }, "a node mask of /0 is not possible", "correct it"],
    ["half a bit", DUAL, { nodeMaskSizeIpv6: 64.5 }, "a node mask of /64.5 is not possible", "correct it"],
    ["129 bits", DUAL, { nodeMaskSizeIpv6: 129 }, "a node mask of /129 is not possible", "correct it"],
  ];

  test.each(rows)("%s", (_title, cidrs, options, what, next) => {
    expect(errorOf(() => planOver(cluster(), cidrs, options))).toMatchObject({
      code: "usage",
      explanation: { what, now: "nothing was written", next },
    });
  });

  test.each<[string, Partial<ChangePodCidrIntent>]>([
    ["10.212.0.0/16", { nodeMaskSize: 24 }],
    ["fd00:10:212::/48", { nodeMaskSize: 64 }],
    ["10.212.0.0/16", { nodeMaskSizeIpv4: 32 }],
    ["fd00:10:212::/112", { nodeMaskSizeIpv6: 128 }],
    [DUAL, { nodeMaskSizeIpv4: 24 }],
    [DUAL, { nodeMaskSizeIpv4: 24, nodeMaskSizeIpv6: 64 }],
  ])("%s with %o is accepted", (cidrs, options) => {
    expect(planOver(cluster(), cidrs, options).findings).toEqual([]);
  });
});

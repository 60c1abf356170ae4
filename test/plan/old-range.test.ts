import { describe, expect, test } from "vitest";
import { type ClusterBuilder, cluster } from "../harness/read-set.js";
import { moves, planOver } from "./scene.js";

const oldRangeOf = (builder: ClusterBuilder, cidrs: string) => {
  const [family] = planOver(builder, cidrs, { nodeMaskSize: 24 }).outline.families;
  return [family?.oldRange, family?.oldRangeSource];
};

describe("the old range is the first of", () => {
  test("kube-controller-manager's flags", () => {
    const builder = cluster()
      .kcm({ "cluster-cidr": "10.112.0.0/14" }, "kube-2")
      .kubeadm("10.112.0.0/15")
      .node("n1", "10.112.0.0/24");
    expect(oldRangeOf(builder, "10.212.0.0/16")).toEqual([
      "10.112.0.0/14",
      "--cluster-cidr of kube-controller-manager on kube-2",
    ]);
  });

  test("kubeadm-config, where no flag is known", () => {
    const builder = cluster().kcm({}).kubeadm("10.112.0.0/15").node("n1", "10.112.0.0/24");
    expect(oldRangeOf(builder, "10.212.0.0/16")).toEqual([
      "10.112.0.0/15",
      "podSubnet in ConfigMap kubeadm-config",
    ]);
  });

  test("the smallest prefix over the blocks that are not in the target", () => {
    const builder = cluster()
      .node("n1", "10.112.1.0/24")
      .node("n2", "10.112.6.0/24")
      .node("n3", "10.212.9.0/24");
    expect(oldRangeOf(builder, "10.212.0.0/16")).toEqual([
      "10.112.0.0/21",
      "the smallest prefix over the Nodes' blocks",
    ]);
  });

  test("none, where all blocks are in the target and nothing is configured", () => {
    expect(oldRangeOf(cluster().node("n1", "10.212.1.0/24"), "10.212.0.0/16")).toEqual([
      undefined,
      undefined,
    ]);
  });

  test("a range of the family that is asked for: dual-stack flags name two", () => {
    const builder = cluster()
      .kcm({ "cluster-cidr": "10.112.0.0/16,fd00:10:112::/48" })
      .node("n1", ["10.112.1.0/24", "fd00:10:112:1::/64"]);
    expect(oldRangeOf(builder, "10.212.0.0/16")[0]).toBe("10.112.0.0/16");
    expect(planOver(builder, "fd00:10:212::/48").outline.families[0]?.oldRange).toBe("fd00:10:112::/48");
  });
});

describe("a source that says the target", () => {
  test("is skipped while most blocks lie outside: the next control-plane host has the old flag still", () => {
    const builder = cluster()
      .kcm({ "cluster-cidr": "10.212.0.0/16" }, "kube-1")
      .kcm({ "cluster-cidr": "10.112.0.0/16" }, "kube-2")
      .node("n1", "10.112.1.0/24");
    expect(oldRangeOf(builder, "10.212.0.0/16")).toEqual([
      "10.112.0.0/16",
      "--cluster-cidr of kube-controller-manager on kube-2",
    ]);
  });

  test("is skipped for kubeadm-config, and that for the blocks", () => {
    const flags = { "cluster-cidr": "10.212.0.0/16" };
    const builder = () => cluster().kcm(flags).node("n1", "10.112.4.0/24").node("n2", "10.112.5.0/24");
    expect(oldRangeOf(builder().kubeadm("10.112.0.0/16"), "10.212.0.0/16")[0]).toBe("10.112.0.0/16");
    expect(oldRangeOf(builder().kubeadm("10.212.0.0/16"), "10.212.0.0/16")[0]).toBe("10.112.4.0/23");
  });

  test("is taken when as many blocks lie in it as outside", () => {
    const builder = cluster()
      .kcm({ "cluster-cidr": "10.212.0.0/16" })
      .node("n1", "10.112.4.0/24")
      .node("n2", "10.212.5.0/24");
    expect(oldRangeOf(builder, "10.212.0.0/16")[0]).toBe("10.212.0.0/16");
    // So what is left of a change that is mostly done is outside, and is moved when it is named.
    expect(moves(planOver(builder, "10.212.0.0/16"))).toEqual([]);
    expect(moves(planOver(builder, "10.212.0.0/16", { nodes: ["n1"] }))).toEqual([
      "n1 10.112.4.0/24 -> 10.212.0.0/24 (first free)",
    ]);
  });
});

describe("where indexes count from", () => {
  test("the old range, also where the first Nodes of it are gone", () => {
    const builder = (flag: string) =>
      cluster().kcm({ "cluster-cidr": flag }).node("n1", "10.112.6.0/24").node("n2", "10.112.7.0/24");
    expect(moves(planOver(builder("10.112.0.0/16"), "10.212.0.0/16"))).toEqual([
      "n1 10.112.6.0/24 -> 10.212.6.0/24 (index 6)",
      "n2 10.112.7.0/24 -> 10.212.7.0/24 (index 7)",
    ]);
    expect(moves(planOver(builder("10.212.0.0/16"), "10.212.0.0/16"))).toEqual([
      "n1 10.112.6.0/24 -> 10.212.0.0/24 (index 0)",
      "n2 10.112.7.0/24 -> 10.212.1.0/24 (index 1)",
    ]);
  });
});

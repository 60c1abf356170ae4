import { describe, expect, test } from "vitest";
import { checkOutcome } from "../../src/plan/check-outcome.js";
import type { Plan } from "../../src/plan/plan.js";
import type { ReadSet } from "../../src/plan/read-set.js";
import { type ClusterBuilder, cluster, nodeFacts } from "../harness/read-set.js";
import { applied, journaled, planOver, rollbackOver, withNodes } from "./scene.js";

const two = () =>
  cluster().kcm({ "cluster-cidr": "10.112.0.0/16" }).node("n1", "10.112.0.0/24").node("n2", "10.112.1.0/24");

function carriedOut(builder: ClusterBuilder, cidrs = "10.212.0.0/16", options = {}) {
  const plan = planOver(builder, cidrs, options);
  return { plan, after: applied(builder.build(), plan) };
}

const faults = (plan: Plan, { nodes }: ReadSet, dropped: readonly string[] = []) =>
  checkOutcome(plan, nodes, new Set(dropped.map((name) => `/registry/minions/${name}`)));

describe("no fault", () => {
  test("when every Node is what the plan meant", () => {
    const { plan, after } = carriedOut(two());
    expect(faults(plan, after)).toEqual([]);
  });

  test("when a Node was deleted since, or dropped", () => {
    const { plan, after } = carriedOut(two());
    expect(faults(plan, withNodes(after, [], ["n1"]))).toEqual([]);
    const old = nodeFacts("n1", { podCidrs: ["10.112.0.0/24"] });
    expect(faults(plan, withNodes(after, [old]), ["n1"])).toEqual([]);
  });

  test("when a Node that joined has a block of the new range, or none", () => {
    const { plan, after } = carriedOut(two());
    const joined = [nodeFacts("n3", { podCidrs: ["10.212.2.0/24"] }), nodeFacts("n4", {})];
    expect(faults(plan, withNodes(after, joined))).toEqual([]);
  });

  test("when Nodes that the plan left alone are as they were, sharing addresses or not", () => {
    const builder = two()
      .node("stray", "10.0.0.0/24")
      .node("twin-1", "10.99.0.0/24")
      .node("twin-2", "10.99.0.0/24");
    const { plan, after } = carriedOut(builder);
    expect(faults(plan, after)).toEqual([]);
  });
});

describe("after a rollback", () => {
  const back = (builder: ClusterBuilder) => {
    const { plan, after } = carriedOut(builder, "10.212.0.0/16", { nodeMaskSize: 24, assignMissing: true });
    const rollback = rollbackOver(after, journaled(plan));
    return { plan: rollback, after: applied(after, rollback) };
  };

  test("odd values that came back are what was meant", () => {
    const { plan, after } = back(
      two()
        .node("bits", "10.112.5.7/24")
        .node("pair", { podCidr: "10.112.7.0/24", podCidrs: ["10.112.8.0/24"] })
        .node("no-list", { podCidr: "10.112.9.0/24", podCidrs: [] })
        .node("no-first", { podCidr: null, podCidrs: ["10.112.10.0/24"] })
        .node("surplus", ["10.112.12.0/24", "10.112.13.0/24", "fd00::/64"])
        .node("none"),
    );
    expect(plan.outline.nodes).toHaveLength(8);
    expect(faults(plan, after)).toEqual([]);
  });

  test("so are blocks that Nodes shared before", () => {
    const { plan, after } = back(two().node("n3", "10.112.1.0/24"));
    expect(faults(plan, after)).toEqual([]);
    const joined = nodeFacts("n4", { podCidrs: ["10.112.0.0/24"] });
    expect(faults(plan, withNodes(after, [joined]))).toEqual([
      { node: "n4", what: "has 10.112.0.0/24, which overlaps 10.112.0.0/24 of n1" },
    ]);
  });

  test("other blocks are not", () => {
    const { plan, after } = back(two());
    expect(faults(plan, withNodes(after, [nodeFacts("n1", { podCidrs: ["10.112.9.0/24"] })]))).toEqual([
      { node: "n1", what: "has podCIDR 10.112.9.0/24 and podCIDRs 10.112.9.0/24 instead of 10.112.0.0/24" },
    ]);
  });
});

describe("a Node that is not what the plan meant", () => {
  test("has another block", () => {
    const { plan, after } = carriedOut(two());
    const other = nodeFacts("n1", { podCidrs: ["10.212.9.0/24"] });
    expect(faults(plan, withNodes(after, [other]))).toEqual([
      {
        node: "n1",
        what: "has podCIDR 10.212.9.0/24 and podCIDRs 10.212.9.0/24 instead of 10.212.0.0/24",
      },
    ]);
  });

  test.each([
    [
      { podCidr: "10.112.0.0/24", podCidrs: ["10.212.0.0/24"] },
      "podCIDR 10.112.0.0/24 and podCIDRs 10.212.0.0/24",
    ],
    [{ podCidr: "10.212.0.0/24", podCidrs: [] }, "podCIDR 10.212.0.0/24 and podCIDRs "],
    [{ podCidr: null, podCidrs: ["10.212.0.0/24"] }, "podCIDR  and podCIDRs 10.212.0.0/24"],
  ])("has half of a pair: %o", (spec, what) => {
    const { plan, after } = carriedOut(two());
    expect(faults(plan, withNodes(after, [nodeFacts("n1", spec)]))).toEqual([
      { node: "n1", what: `has ${what} instead of 10.212.0.0/24` },
    ]);
  });
});

describe("a Node that joined meanwhile", () => {
  const command = "etcdcidr change-pod-cidr 10.212.0.0/16 --node-cidr-mask-size 24 --node n3";

  test("with a block of the old range stops kube-controller-manager: the command that moves it", () => {
    const { plan, after } = carriedOut(two());
    expect(faults(plan, withNodes(after, [nodeFacts("n3", { podCidrs: ["10.112.2.0/24"] })]))).toEqual([
      { node: "n3", what: "joined meanwhile and has 10.112.2.0/24, outside 10.212.0.0/16", next: command },
    ]);
  });

  test("so does one that was there without a block", () => {
    const { plan, after } = carriedOut(two().node("n3"));
    expect(faults(plan, withNodes(after, [nodeFacts("n3", { podCidrs: ["10.112.2.0/24"] })]))).toMatchObject([
      { node: "n3", next: command },
    ]);
  });

  test("and one that was re-created under its name", () => {
    const { plan, after } = carriedOut(two());
    const again = nodeFacts("n2", { podCidrs: ["10.112.1.0/24"], uid: "another" });
    expect(faults(plan, withNodes(after, [again]), ["n2"])).toMatchObject([
      { node: "n2", what: "joined meanwhile and has 10.112.1.0/24, outside 10.212.0.0/16" },
    ]);
  });

  test("is one fault with both families", () => {
    const builder = cluster().node("n1", ["10.112.0.0/24", "fd00:1::/64"]);
    const { plan, after } = carriedOut(builder, "10.212.0.0/16,fd00:2::/48");
    const joined = nodeFacts("n3", { podCidrs: ["10.112.2.0/24", "fd00:1:0:2::/64"] });
    expect(faults(plan, withNodes(after, [joined]))).toEqual([
      {
        node: "n3",
        what: "joined meanwhile and has 10.112.2.0/24, outside 10.212.0.0/16 and fd00:1:0:2::/64, outside fd00:2::/48",
        next:
          "etcdcidr change-pod-cidr 10.212.0.0/16,fd00:2::/48 --node-cidr-mask-size-ipv4 24 " +
          "--node-cidr-mask-size-ipv6 64 --node n3",
      },
    ]);
  });

  test("with a family that a rollback takes away is named; no command takes it from it", () => {
    const { plan, after } = carriedOut(two(), "fd00:a0::/56", { addFamily: true });
    const back = rollbackOver(after, journaled(plan));
    const joined = nodeFacts("n3", { podCidrs: ["10.112.2.0/24", "fd00:a0:0:2::/64"] });
    expect(faults(back, withNodes(applied(after, back), [joined]))).toEqual([
      { node: "n3", what: "joined meanwhile and has fd00:a0:0:2::/64 although there is no IPv6 range" },
    ]);
  });
});

describe("a Node that joined while a rollback takes a family away and moves the other", () => {
  test("is moved back in the family that stays", () => {
    const { plan, after } = carriedOut(two(), "10.212.0.0/16,fd00:a0::/56", { addFamily: true });
    const back = rollbackOver(after, journaled(plan));
    const joined = nodeFacts("n3", { podCidrs: ["10.212.2.0/24", "fd00:a0:0:2::/64"] });
    expect(faults(back, withNodes(applied(after, back), [joined]))).toEqual([
      {
        node: "n3",
        what:
          "joined meanwhile and has 10.212.2.0/24, outside 10.112.0.0/16 and fd00:a0:0:2::/64 although there is no " +
          "IPv6 range",
        next: "etcdcidr change-pod-cidr 10.112.0.0/16 --node-cidr-mask-size 24 --node n3",
      },
    ]);
  });
});

describe("Nodes that share addresses", () => {
  test("one of them was changed", () => {
    const { plan, after } = carriedOut(two());
    const joined = nodeFacts("n3", { podCidrs: ["10.212.1.0/24"] });
    expect(faults(plan, withNodes(after, [joined]))).toEqual([
      { node: "n3", what: "has 10.212.1.0/24, which overlaps 10.212.1.0/24 of n2" },
    ]);
  });

  test("a wide block is held against all that lie in it", () => {
    const { plan, after } = carriedOut(two());
    const joined = nodeFacts("n3", { podCidrs: ["10.212.0.0/22"] });
    const found = faults(plan, withNodes(after, [joined])).map(({ node, what }) => `${node} ${what}`);
    expect(found).toEqual([
      "n3 has 10.212.0.0/22, which overlaps 10.212.0.0/24 of n1",
      "n2 has 10.212.1.0/24, which overlaps 10.212.0.0/22 of n3",
    ]);
  });

  test("side by side they share nothing", () => {
    const { plan, after } = carriedOut(two());
    const joined = nodeFacts("n3", { podCidrs: ["10.212.2.0/23"] });
    expect(faults(plan, withNodes(after, [joined]))).toEqual([]);
  });
});

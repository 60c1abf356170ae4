import { describe, expect, test } from "vitest";
import { cluster } from "../../harness/read-set.js";
import { codes, findingsOf, planOver } from "../scene.js";

const OLD = { "cluster-cidr": "10.112.0.0/16" };

describe("node-block-too-small", () => {
  const scene = (...capacities: number[]) => {
    const builder = cluster().kcm(OLD);
    capacities.forEach((podCapacity, index) => {
      builder.node(`n${index}`, { podCidrs: [`10.112.${index}.0/24`], podCapacity });
    });
    return builder;
  };

  test("than the Node's Pod capacity; the worst one is named", () => {
    const plan = planOver(scene(110, 250, 63, 62), "10.212.0.0/16", { nodeMaskSize: 26 });
    expect(findingsOf(plan, "node-block-too-small")).toEqual([
      {
        code: "node-block-too-small",
        severity: "blocker",
        acceptable: true,
        keys: ["n1", "n0", "n2"].map((name) => `/registry/minions/${name}`),
        what: "a /26 has 62 usable addresses, and n1 takes 250 Pods",
        why: "Pods beyond the block's last address do not start (3 Nodes)",
        next: "use a mask of /24 (254 usable addresses) or shorter",
      },
    ]);
  });

  test("exactly as many addresses as Pods are enough", () => {
    expect(codes(planOver(scene(62), "10.212.0.0/16", { nodeMaskSize: 26 }))).toEqual([]);
  });

  test("IPv6 has no broadcast address", () => {
    const builder = (podCapacity: number) => cluster().node("n1", { podCidrs: ["fd00::/120"], podCapacity });
    expect(codes(planOver(builder(255), "fd01::/112", { nodeMaskSize: 120 }))).toEqual([]);
    expect(
      findingsOf(planOver(builder(256), "fd01::/112", { nodeMaskSize: 120 }), "node-block-too-small"),
    ).toMatchObject([{ next: "use a mask of /119 (511 usable addresses) or shorter" }]);
  });

  test("a Node that is not changed keeps what it has", () => {
    expect(codes(planOver(scene(500, 100), "10.212.0.0/16", { nodes: ["n1"] }))).toEqual([]);
  });

  test("a Node that tells no capacity is taken at its word", () => {
    const builder = cluster().kcm(OLD).node("n1", "10.112.0.0/24");
    expect(codes(planOver(builder, "10.212.0.0/16", { nodeMaskSize: 30 }))).toEqual([]);
  });
});

describe("pods-outside-block", () => {
  const scene = () => cluster().kcm({ "cluster-cidr": "10.112.0.0/16" }).node("n1", "10.112.3.0/24");

  test("of a block that only shrinks: the outermost on either side", () => {
    const builder = scene()
      .pod("a/low", "n1", "10.112.3.1")
      .pod("a/high", "n1", "10.112.3.250")
      .pod("a/higher", "n1", "10.112.3.251")
      .pod("b/far", "n1", "10.112.2.9");
    const plan = planOver(builder, "10.112.0.0/16", { nodeMaskSize: 26 });
    expect(findingsOf(plan, "pods-outside-block")).toEqual([
      {
        code: "pods-outside-block",
        severity: "blocker",
        acceptable: true,
        keys: ["/registry/minions/n1"],
        what:
          "Pods run outside the smaller blocks: b/far at 10.112.2.9 (n1, 10.112.3.0/26), " +
          "a/higher at 10.112.3.251 (n1, 10.112.3.0/26)",
        why: "their addresses may be given to another Node while they still use them",
        next: "delete or move these Pods first, else renew them at once afterwards",
      },
    ]);
  });

  test("one Pod that is both outermost is named once", () => {
    const builder = scene().pod("a/only", "n1", "10.112.3.200");
    const plan = planOver(builder, "10.112.0.0/16", { nodeMaskSize: 26 });
    expect(findingsOf(plan, "pods-outside-block")).toMatchObject([
      { what: "Pods run outside the smaller blocks: a/only at 10.112.3.200 (n1, 10.112.3.0/26)" },
    ]);
  });

  test("Pods inside the smaller block are no matter", () => {
    const builder = scene().pod("a/low", "n1", "10.112.3.0").pod("a/high", "n1", "10.112.3.63");
    expect(codes(planOver(builder, "10.112.0.0/16", { nodeMaskSize: 26 }))).toEqual([]);
  });

  test("in another range all Pods are renewed anyway, in a wider block none has to be", () => {
    const builder = scene().pod("a/high", "n1", "10.112.3.250");
    expect(codes(planOver(builder, "10.212.0.0/16", { nodeMaskSize: 26 }))).toEqual([]);
    expect(codes(planOver(builder, "10.112.0.0/16", { nodeMaskSize: 20 }))).toEqual([]);
  });

  test("each family has its own", () => {
    const builder = cluster()
      .node("n1", ["10.112.3.0/24", "fd00::/64"])
      .pod("a/dual", "n1", "10.112.3.250", "fd00::ff");
    const plan = planOver(builder, "fd00::/56", { nodeMaskSize: 121 });
    expect(findingsOf(plan, "pods-outside-block")).toMatchObject([
      { what: "Pods run outside the smaller blocks: a/dual at fd00::ff (n1, fd00::/121)" },
    ]);
  });
});

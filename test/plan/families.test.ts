import { describe, expect, test } from "vitest";
import { cluster } from "../harness/read-set.js";
import { codes, findingsOf, isBlocked, moves, planOver, updates } from "./scene.js";

const DUAL = { "cluster-cidr": "10.112.0.0/16,fd00:10:112::/48" };

describe("one family given on a dual-stack cluster", () => {
  test("only that family's entry changes, in its place", () => {
    const builder = cluster()
      .kcm(DUAL)
      .node("n1", ["10.112.0.0/24", "fd00:10:112::/64"])
      .node("n2", ["10.112.2.0/24", "FD00:10:112:2::/64"]);
    const plan = planOver(builder, "fd00:10:212::/48");
    expect(updates(plan).map(({ edits }) => edits)).toEqual([
      [
        {
          path: "spec.podCIDRs",
          old: ["10.112.0.0/24", "fd00:10:112::/64"],
          new: ["10.112.0.0/24", "fd00:10:212::/64"],
        },
      ],
      [
        {
          path: "spec.podCIDRs",
          old: ["10.112.2.0/24", "FD00:10:112:2::/64"],
          new: ["10.112.2.0/24", "fd00:10:212:2::/64"],
        },
      ],
    ]);
    expect(codes(plan)).toEqual([]);
  });

  test("the other family's text stays as it is stored", () => {
    const builder = cluster().kcm(DUAL).node("n1", ["010.112.0.0/24", "fd00:10:112::/64"]);
    expect(moves(planOver(builder, "fd00:10:212::/48"))).toEqual([
      "n1 010.112.0.0/24,fd00:10:112::/64 -> 010.112.0.0/24,fd00:10:212::/64 (index 0)",
    ]);
  });

  test("IPv4 that stands second stays second, and podCIDR stays IPv6", () => {
    const builder = cluster().node("n1", ["fd00:10:112::/64", "10.112.0.0/24"]);
    const plan = planOver(builder, "10.212.0.0/16");
    expect(updates(plan).map(({ edits }) => edits)).toEqual([
      [
        {
          path: "spec.podCIDRs",
          old: ["fd00:10:112::/64", "10.112.0.0/24"],
          new: ["fd00:10:112::/64", "10.212.0.0/24"],
        },
      ],
    ]);
  });
});

describe("both families", () => {
  test("each has its own old range and index", () => {
    const builder = cluster().kcm(DUAL).node("n1", ["10.112.5.0/24", "fd00:10:112:7::/64"]);
    const plan = planOver(builder, "10.212.0.0/16,fd00:10:212::/48", {
      nodeMaskSizeIpv4: 22,
      nodeMaskSizeIpv6: 72,
    });
    expect(moves(plan)).toEqual([
      "n1 10.112.5.0/24,fd00:10:112:7::/64 -> 10.212.20.0/22,fd00:10:212:0:700::/72 (IPv4 index 5, IPv6 index 7)",
    ]);
    expect(plan.outline.families.map(({ oldRange }) => oldRange)).toEqual([
      "10.112.0.0/16",
      "fd00:10:112::/48",
    ]);
  });
});

describe("a family that the Nodes do not have yet", () => {
  test("is left alone without --add-family", () => {
    const plan = planOver(cluster().node("n1", "10.42.0.0/24"), "fc00:a0::/56");
    expect(moves(plan)).toEqual([]);
    expect(findingsOf(plan, "left-alone")).toEqual([
      {
        code: "left-alone",
        severity: "warning",
        acceptable: false,
        keys: ["/registry/minions/n1"],
        what: "1 Node left alone for IPv6: n1",
        why: "they have no block of this family",
        next: "--add-family adds one behind",
      },
    ]);
  });

  test("is left alone beside the family that they have, which is changed", () => {
    const builder = cluster().kcm({ "cluster-cidr": "10.42.0.0/16" }).node("n1", "10.42.5.0/24");
    const plan = planOver(builder, "10.52.0.0/16,fc00:a0::/56");
    expect(moves(plan)).toEqual(["n1 10.42.5.0/24 -> 10.52.5.0/24 (IPv4 index 5)"]);
    expect(codes(plan)).toEqual(["warning left-alone"]);
  });

  test("is added behind, at the index of the other family's block", () => {
    const plan = planOver(
      cluster().kcm({ "cluster-cidr": "10.42.0.0/16" }).node("n1", "10.42.5.0/24").node("n2", "10.42.3.0/24"),
      "fc00:a0::/56",
      { addFamily: true },
    );
    expect(updates(plan).map(({ edits }) => edits)).toEqual([
      [
        {
          path: "spec.podCIDRs",
          old: ["10.42.5.0/24"],
          new: ["10.42.5.0/24", "fc00:a0:0:5::/64"],
        },
      ],
      [
        {
          path: "spec.podCIDRs",
          old: ["10.42.3.0/24"],
          new: ["10.42.3.0/24", "fc00:a0:0:3::/64"],
        },
      ],
    ]);
  });

  test("the other family is changed in the same plan, and both take the same index", () => {
    const plan = planOver(
      cluster().kcm({ "cluster-cidr": "10.42.0.0/16" }).node("n1", "10.42.5.0/24"),
      "10.52.0.0/16,fc00:a0::/56",
      { addFamily: true },
    );
    expect(moves(plan)).toEqual([
      "n1 10.42.5.0/24 -> 10.52.5.0/24,fc00:a0:0:5::/64 (IPv4 index 5, IPv6 index 5)",
    ]);
  });

  test("with the flags changed already the index counts from where the blocks are", () => {
    const plan = planOver(
      cluster()
        .kcm({ "cluster-cidr": "10.52.0.0/16,fc00:a0::/56" })
        .node("n1", "10.42.4.0/24")
        .node("n2", "10.42.6.0/24"),
      "10.52.0.0/16,fc00:a0::/56",
      { addFamily: true },
    );
    expect(moves(plan)).toEqual([
      "n1 10.42.4.0/24 -> 10.52.0.0/24,fc00:a0::/64 (IPv4 index 0, IPv6 index 0)",
      "n2 10.42.6.0/24 -> 10.52.2.0/24,fc00:a0:0:2::/64 (IPv4 index 2, IPv6 index 2)",
    ]);
  });

  test("compact gives the first free one", () => {
    const plan = planOver(
      cluster().kcm({ "cluster-cidr": "10.42.0.0/16" }).node("n1", "10.42.5.0/24"),
      "fc00:a0::/56",
      { addFamily: true, mapping: "compact" },
    );
    expect(moves(plan)).toEqual(["n1 10.42.5.0/24 -> 10.42.5.0/24,fc00:a0::/64 (first free)"]);
  });
});

describe("a Node without any block", () => {
  test("is left alone, with a warning for each family", () => {
    const plan = planOver(cluster().node("n1"), "10.212.0.0/16,fd00:10:212::/48");
    expect(moves(plan)).toEqual([]);
    expect(findingsOf(plan, "left-alone").map(({ what, next }) => [what, next])).toEqual([
      ["1 Node left alone for IPv4: n1", "--assign-missing gives them one"],
      ["1 Node left alone for IPv6: n1", "--assign-missing gives them one"],
    ]);
  });

  test("gets one of each range with --assign-missing", () => {
    const plan = planOver(cluster().node("n1"), "10.212.0.0/16,fd00:10:212::/48", { assignMissing: true });
    expect(updates(plan).map(({ edits }) => edits)).toEqual([
      [
        { path: "spec.podCIDR", new: "10.212.0.0/24" },
        { path: "spec.podCIDRs", new: ["10.212.0.0/24", "fd00:10:212::/64"] },
      ],
    ]);
  });

  test("an explicit empty podCIDR is no block", () => {
    const plan = planOver(cluster().node("n1", { podCidr: "" }), "10.212.0.0/16", { assignMissing: true });
    expect(updates(plan).map(({ edits }) => edits)).toEqual([
      [
        { path: "spec.podCIDR", old: "", new: "10.212.0.0/24" },
        { path: "spec.podCIDRs", new: ["10.212.0.0/24"] },
      ],
    ]);
  });
});

describe("what podCIDR and podCIDRs say together", () => {
  test("podCIDR wins over podCIDRs[0], and both are put right", () => {
    const builder = cluster()
      .kcm({ "cluster-cidr": "10.112.0.0/16" })
      .node("n1", { podCidr: "10.112.7.0/24", podCidrs: ["10.112.3.0/24", "fd00:1::/64"] });
    const plan = planOver(builder, "10.212.0.0/16");
    expect(updates(plan).map(({ edits }) => edits)).toEqual([
      [
        { path: "spec.podCIDR", old: "10.112.7.0/24", new: "10.212.7.0/24" },
        {
          path: "spec.podCIDRs",
          old: ["10.112.3.0/24", "fd00:1::/64"],
          new: ["10.212.7.0/24", "fd00:1::/64"],
        },
      ],
    ]);
  });

  test("a Node that needs no other block has its pair put right all the same", () => {
    const builder = cluster().node("n1", { podCidr: null, podCidrs: ["10.212.0.0/24"] });
    const plan = planOver(builder, "10.212.0.0/16");
    expect(updates(plan).map(({ edits }) => edits)).toEqual([
      [{ path: "spec.podCIDR", new: "10.212.0.0/24" }],
    ]);
    expect(codes(plan)).toEqual(["warning pair-differs"]);
  });

  test("a Node that is left alone is left as it is, odd or not", () => {
    const builder = cluster()
      .kcm({ "cluster-cidr": "10.112.0.0/16" })
      .node("pair", { podCidr: "10.99.7.0/24", podCidrs: ["10.99.3.0/24"] })
      .node("surplus", ["10.98.3.0/24", "10.98.4.0/24"])
      .node("n1", "10.112.0.0/24");
    expect(planOver(builder, "10.212.0.0/16").outline.nodes.map(({ name }) => name)).toEqual(["n1"]);
  });

  test("a list that is missing is made", () => {
    const plan = planOver(cluster().node("n1", { podCidr: "10.112.0.0/24", podCidrs: [] }), "10.212.0.0/16");
    expect(updates(plan).map(({ edits }) => edits)).toEqual([
      [
        { path: "spec.podCIDR", old: "10.112.0.0/24", new: "10.212.0.0/24" },
        { path: "spec.podCIDRs", new: ["10.212.0.0/24"] },
      ],
    ]);
  });

  test("further blocks of a family go: the first of each counts", () => {
    const plan = planOver(
      cluster()
        .kcm({ "cluster-cidr": "10.112.0.0/16" })
        .node("n1", ["10.112.3.0/24", "10.112.4.0/24", "fd00:1::/64"]),
      "10.212.0.0/16",
    );
    expect(moves(plan)).toEqual([
      "n1 10.112.3.0/24,fd00:1::/64,10.112.4.0/24 -> 10.212.3.0/24,fd00:1::/64 (index 3)",
    ]);
    expect(codes(plan)).toEqual(["warning duplicate-removed"]);
  });
});

describe("nothing to do", () => {
  test("no Node needs an edit: no stage, no outline", () => {
    const plan = planOver(cluster().node("n1", "10.212.0.0/22").node("n2", "10.212.4.0/22"), "10.212.0.0/16");
    expect(plan.stages).toEqual([]);
    expect(plan.outline.nodes).toEqual([]);
    expect(plan.outline.unchanged).toBe(2);
  });

  test("what is wrong with the new range blocks nothing where no Node needs an edit", () => {
    const moved = cluster().node("n1", "10.212.0.0/22");
    const plan = planOver(moved, "10.212.0.0/16", { reserved: ["10.212.128.0/17"] });
    expect([codes(plan), isBlocked(plan)]).toEqual([["blocker overlap"], false]);
    const moving = planOver(moved.node("n2", "10.112.1.0/22"), "10.212.0.0/16", {
      reserved: ["10.212.128.0/17"],
    });
    expect([codes(moving), isBlocked(moving)]).toEqual([["blocker overlap"], true]);
  });

  test("a Node that needs an edit and does not get one blocks all the same", () => {
    const full = cluster().node("n1", "10.212.0.0/24").node("n2", "10.112.1.0/24");
    const plan = planOver(full, "10.212.0.0/24");
    expect([moves(plan), isBlocked(plan)]).toEqual([[], true]);
  });
});

describe("same input, same plan", () => {
  const builder = () => cluster().node("n1", "10.112.0.0/24").node("n2", "10.112.0.0/24");

  test("to the last byte, the id too", () => {
    expect(planOver(builder(), "10.212.0.0/16")).toEqual(planOver(builder(), "10.212.0.0/16"));
  });

  test("another intent has another id", () => {
    const other = planOver(builder(), "10.212.0.0/16", { accept: ["not-private"] });
    expect(other.id).not.toBe(planOver(builder(), "10.212.0.0/16").id);
  });
});

import { describe, expect, test } from "vitest";
import { cluster } from "../../harness/read-set.js";
import { codes, findingsOf, planOver } from "../scene.js";

const keys = (...names: string[]) => names.map((name) => `/registry/minions/${name}`);
const OLD = { "cluster-cidr": "10.112.0.0/16" };
const WHY_DUPLICATE =
  "kube-controller-manager does not notice; when one of them is deleted, the next Node gets the block that the other still uses";

describe("duplicate-block", () => {
  const twins = () =>
    cluster().kcm(OLD).node("n1", "10.112.7.0/24").node("n2", "10.112.7.0/24").node("n3", "10.112.8.0/24");

  test("one of the holders would stay", () => {
    expect(
      findingsOf(planOver(twins(), "10.212.0.0/16", { nodes: ["n1", "n3"] }), "duplicate-block"),
    ).toEqual([
      {
        code: "duplicate-block",
        severity: "blocker",
        acceptable: false,
        keys: keys("n1", "n2"),
        what: "n1, n2 hold the same addresses (10.112.7.0/24)",
        why: `${WHY_DUPLICATE}; n2 would keep it`,
        next: "take n2 along (leave out --node, or name all of them)",
      },
    ]);
  });

  test("all of them stay", () => {
    const [finding] = findingsOf(planOver(twins(), "10.212.0.0/16", { nodes: ["n3"] }), "duplicate-block");
    expect(finding).toMatchObject({ severity: "blocker", why: `${WHY_DUPLICATE}; n1, n2 would keep it` });
  });

  test("blocks that overlap in part are duplicates, also where a wide one reaches over several", () => {
    const scene = cluster()
      .kcm(OLD)
      .node("wide", "10.112.0.0/22")
      .node("a", "10.112.1.0/24")
      .node("b", "10.112.3.0/24")
      .node("c", "10.112.4.0/24");
    const plan = planOver(scene, "10.212.0.0/16", { nodes: ["c"], nodeMaskSize: 24 });
    expect(findingsOf(plan, "duplicate-block")).toMatchObject([
      {
        keys: keys("wide", "a", "b"),
        what: "wide, a, b hold the same addresses (10.112.0.0/22, 10.112.1.0/24, 10.112.3.0/24)",
      },
    ]);
  });

  test("a further block of a Node counts", () => {
    const scene = cluster()
      .kcm(OLD)
      .node("n1", ["10.112.1.0/24", "10.112.9.0/24"])
      .node("n2", "10.112.9.0/24");
    expect(codes(planOver(scene, "10.212.0.0/16", { nodes: ["n2"] }))).toEqual(["blocker duplicate-block"]);
  });

  test("another spelling of a block is the same block", () => {
    const scene = cluster().kcm(OLD).node("n1", "10.112.7.0/24").node("n2", "10.112.007.0/24");
    expect(codes(planOver(scene, "10.212.0.0/16", { nodes: ["n2"] }))).toEqual(["blocker duplicate-block"]);
  });

  test("blocks side by side are none, nor the same numbers in the other family", () => {
    const scene = cluster()
      .kcm(OLD)
      .node("n1", "10.112.0.0/25")
      .node("n2", "10.112.0.128/25")
      .node("n3", "::a70:0/121");
    expect(findingsOf(planOver(scene, "10.212.0.0/16", { nodes: ["n1"] }), "duplicate-block")).toEqual([]);
  });
});

describe("duplicate-removed", () => {
  test("all holders move", () => {
    const scene = cluster().kcm(OLD).node("n1", "10.112.7.0/24").node("n2", "10.112.7.0/24");
    expect(findingsOf(planOver(scene, "10.212.0.0/16"), "duplicate-removed")).toEqual([
      {
        code: "duplicate-removed",
        severity: "warning",
        acceptable: false,
        keys: keys("n1", "n2"),
        what: "n1, n2 hold the same addresses (10.112.7.0/24)",
        why: WHY_DUPLICATE,
        next: "nothing: each gets a block of its own",
      },
    ]);
  });

  test("a second block of one family goes", () => {
    const scene = cluster().kcm(OLD).node("n1", ["10.112.1.0/24", "10.112.9.0/24"]);
    expect(findingsOf(planOver(scene, "10.212.0.0/16"), "duplicate-removed")).toEqual([
      {
        code: "duplicate-removed",
        severity: "warning",
        acceptable: false,
        keys: keys("n1"),
        what: "a second block of one family is removed from n1",
        why: "the API server refuses every label, taint and cordon of a Node with two blocks of one family",
        next: "nothing: the first of each family counts",
      },
    ]);
  });

  test("not from a Node that is not changed", () => {
    const scene = cluster()
      .kcm(OLD)
      .node("n1", ["10.112.1.0/24", "10.112.9.0/24"])
      .node("n2", "10.112.2.0/24");
    expect(codes(planOver(scene, "10.212.0.0/16", { nodes: ["n2"] }))).toEqual([]);
  });
});

describe("family-order", () => {
  const DUAL = "10.212.0.0/16,fd00:10:212::/48";

  test("the Nodes have their blocks the other way round", () => {
    const scene = cluster()
      .node("n1", ["fd00:10:112::/64", "10.112.0.0/24"])
      .node("n2", ["10.112.1.0/24", "fd00:10:112:1::/64"]);
    expect(findingsOf(planOver(scene, DUAL), "family-order")).toEqual([
      {
        code: "family-order",
        severity: "blocker",
        acceptable: false,
        keys: keys("n1"),
        what: "the ranges are given as IPv4, then IPv6, and n1 would not have their blocks in that order",
        why: "kube-controller-manager matches podCIDRs with --cluster-cidr by position and exits at start when they disagree",
        next: "give the ranges in the order of the Nodes' podCIDRs; a new family comes last",
      },
    ]);
  });

  test("a Node has the second family alone", () => {
    const scene = cluster()
      .node("n1", "fd00:10:112::/64")
      .node("n2", ["10.112.1.0/24", "fd00:10:112:1::/64"]);
    expect(findingsOf(planOver(scene, DUAL), "family-order")).toMatchObject([{ keys: keys("n1") }]);
  });

  test("the first family alone is in order, and so is no block", () => {
    const scene = cluster().node("n1", "10.112.1.0/24").node("n2");
    expect(findingsOf(planOver(scene, DUAL), "family-order")).toEqual([]);
    expect(
      findingsOf(planOver(scene, DUAL, { addFamily: true, assignMissing: true }), "family-order"),
    ).toEqual([]);
  });

  test("a Node without blocks would get the second family of the others as its first", () => {
    const scene = cluster().node("n1").node("n2", ["10.112.1.0/24", "fd00:10:112:1::/64"]);
    expect(findingsOf(planOver(scene, "fd00:10:212::/48", { assignMissing: true }), "family-order")).toEqual([
      {
        code: "family-order",
        severity: "blocker",
        acceptable: false,
        keys: keys("n1"),
        what: "n1 would have IPv6 first, and the other Nodes have IPv4 first",
        why: "kube-controller-manager matches podCIDRs with --cluster-cidr by position and exits at start when they disagree",
        next: "give both ranges, or leave out --assign-missing",
      },
    ]);
    expect(codes(planOver(scene, "10.212.0.0/16", { assignMissing: true }))).toEqual([]);
    expect(codes(planOver(scene, "fd00:10:212::/48"))).toEqual(["warning left-alone"]);
  });
});

describe("overlaps-current-block", () => {
  const pair = () => cluster().node("n1", "10.0.0.0/24").node("n2", "10.0.1.0/24");

  test("another Node's addresses are given away where too few blocks are left", () => {
    expect(
      findingsOf(planOver(pair(), "10.0.0.0/22", { nodeMaskSize: 23 }), "overlaps-current-block"),
    ).toEqual([
      {
        code: "overlaps-current-block",
        severity: "blocker",
        acceptable: true,
        keys: keys("n1"),
        what: "there are too few IPv4 blocks that no other Node has today, so n1 (10.0.0.0/23) would get another's",
        why: "Pods of the other Nodes keep these addresses until they are renewed, and new Pods get them too",
        next: "use another range or a longer mask, else renew all Pods at once afterwards",
      },
    ]);
  });

  test("not where there are enough", () => {
    expect(codes(planOver(pair(), "10.0.0.0/21", { nodeMaskSize: 23 }))).toEqual([]);
  });
});

describe("mixed-masks", () => {
  test("blocks are of several sizes now", () => {
    const scene = cluster().kcm(OLD).node("n1", "10.112.0.0/24").node("n2", "10.112.1.0/25");
    expect(findingsOf(planOver(scene, "10.212.0.0/16", { nodeMaskSize: 22 }), "mixed-masks")).toEqual([
      {
        code: "mixed-masks",
        severity: "warning",
        acceptable: false,
        keys: [],
        what: "the Nodes' IPv4 blocks are of /24 and /25 now and of /22 afterwards",
        why: "kube-controller-manager knows one mask; it skips every block that a longer or shorter one touches",
        next: "nothing: they are all of one size afterwards",
      },
    ]);
  });

  test("or will be", () => {
    const scene = cluster().kcm(OLD).node("n1", "10.112.0.0/24").node("n2", "10.112.1.0/24");
    const plan = planOver(scene, "10.212.0.0/16", { nodeMaskSize: 22, nodes: ["n2"] });
    expect(findingsOf(plan, "mixed-masks")).toMatchObject([
      {
        what: "the Nodes' IPv4 blocks are of /24 now and of /22 and /24 afterwards",
        next: "change all Nodes to one mask",
      },
    ]);
  });

  test("another size for all is none, nor another size in the other family", () => {
    const scene = cluster()
      .kcm(OLD)
      .node("n1", ["10.112.0.0/24", "fd00::/64"])
      .node("n2", ["10.112.1.0/24", "fd01::/80"]);
    expect(codes(planOver(scene, "10.212.0.0/16", { nodeMaskSize: 22 }))).toEqual([]);
  });
});

describe("left-alone", () => {
  test("Nodes without a block", () => {
    const scene = cluster().node("n1").node("n2").node("n3", "10.112.0.0/24");
    expect(findingsOf(planOver(scene, "10.212.0.0/16"), "left-alone")).toEqual([
      {
        code: "left-alone",
        severity: "warning",
        acceptable: false,
        keys: keys("n1", "n2"),
        what: "2 Nodes left alone for IPv4: n1, n2",
        why: "they have no block",
        next: "--assign-missing gives them one",
      },
    ]);
    expect(codes(planOver(scene, "10.212.0.0/16", { assignMissing: true }))).toEqual([]);
  });

  test("Nodes outside", () => {
    const scene = cluster().kcm(OLD).node("n1", "10.113.0.0/24").node("n2", "10.112.0.0/24");
    expect(findingsOf(planOver(scene, "10.212.0.0/16"), "left-alone")).toEqual([
      {
        code: "left-alone",
        severity: "warning",
        acceptable: false,
        keys: keys("n1"),
        what: "1 Node left alone for IPv4: n1",
        why: "their blocks lie neither in the old range nor in the new one, so they have no index",
        next: "--node <name> takes one along; kube-controller-manager does not start while one is outside its range",
      },
    ]);
  });

  test("Nodes that --node leaves out are meant to be", () => {
    const scene = cluster().kcm(OLD).node("n1").node("n2", "10.113.0.0/24").node("n3", "10.112.0.0/24");
    expect(codes(planOver(scene, "10.212.0.0/16", { nodes: ["n3"] }))).toEqual([]);
  });
});

describe("pair-differs", () => {
  test("podCIDR is not podCIDRs[0]", () => {
    const scene = cluster()
      .kcm(OLD)
      .node("n1", { podCidr: "10.112.1.0/24", podCidrs: ["10.112.2.0/24"] })
      .node("n2", { podCidr: "", podCidrs: ["10.112.3.0/24"] })
      .node("n3", { podCidr: "10.112.4.0/24", podCidrs: [] })
      .node("n4", "10.112.5.0/24");
    expect(findingsOf(planOver(scene, "10.212.0.0/16"), "pair-differs")).toEqual([
      {
        code: "pair-differs",
        severity: "warning",
        acceptable: false,
        keys: keys("n1", "n2", "n3"),
        what: "podCIDR and podCIDRs[0] differ on n1, n2, n3",
        why: "the API server shows podCIDR, and drops the list at the Node's next write",
        next: "nothing: both are written together",
      },
    ]);
  });

  test("not on a Node that is not changed, nor on one without blocks", () => {
    const scene = cluster()
      .kcm(OLD)
      .node("n1", { podCidr: "10.112.1.0/24", podCidrs: ["10.112.2.0/24"] })
      .node("n2", { podCidr: null, podCidrs: [] })
      .node("n3", { podCidr: "", podCidrs: [] });
    expect(codes(planOver(scene, "10.212.0.0/16", { nodes: ["n2", "n3"], assignMissing: true }))).toEqual([]);
  });
});

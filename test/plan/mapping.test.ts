import { describe, expect, test } from "vitest";
import { cluster } from "../harness/read-set.js";
import { blocksAfter, codes, findingsOf, isBlocked, moves, planOver } from "./scene.js";

const OLD = { "cluster-cidr": "10.112.0.0/16", "node-cidr-mask-size": "24" };

describe("rule 1: a canonical block in the target, of its mask and held by nobody else, stays", () => {
  test("it is no matter for an edit", () => {
    const plan = planOver(
      cluster().kcm(OLD).node("n1", "10.212.0.0/22").node("n2", "10.112.1.0/24").node("n3", "10.112.3.0/24"),
      "10.212.0.0/16",
      { nodeMaskSize: 22 },
    );
    expect(moves(plan)).toEqual([
      "n2 10.112.1.0/24 -> 10.212.4.0/22 (index 1)",
      "n3 10.112.3.0/24 -> 10.212.12.0/22 (index 3)",
    ]);
    expect(plan.outline.unchanged).toBe(1);
  });

  test.each([
    ["010.212.004.0/22", "host bits or zeros"],
    ["10.212.4.1/22", "host bits"],
  ])("%s is not canonical and is put right in its place", (text) => {
    const plan = planOver(cluster().kcm(OLD).node("n1", text), "10.212.0.0/16", { nodeMaskSize: 22 });
    expect(moves(plan)).toEqual([`n1 ${text} -> 10.212.4.0/22 (own block)`]);
  });

  test("IPv6 in other than its RFC 5952 form is put right", () => {
    const plan = planOver(cluster().node("n1", "FD00:0010:0212:0004::/64"), "fd00:10:212::/48");
    expect(moves(plan)).toEqual(["n1 FD00:0010:0212:0004::/64 -> fd00:10:212:4::/64 (own block)"]);
  });

  test("one that overlaps another Node's does not stay", () => {
    const plan = planOver(
      cluster().node("n1", "10.212.0.0/24").node("n2", "10.212.0.128/25"),
      "10.212.0.0/16",
      { nodeMaskSize: 24 },
    );
    expect(moves(plan)).toEqual([
      "n1 10.212.0.0/24 -> 10.212.1.0/24 (first free)",
      "n2 10.212.0.128/25 -> 10.212.2.0/24 (first free)",
    ]);
  });
});

describe("rule 2: a free block inside or around the Node's own", () => {
  test("a block that shrinks in place takes the first part of itself", () => {
    const plan = planOver(
      cluster().node("n1", "192.168.88.0/24").node("n2", "192.168.89.0/24"),
      "192.168.0.0/16",
      {
        nodeMaskSize: 26,
      },
    );
    expect(moves(plan)).toEqual([
      "n1 192.168.88.0/24 -> 192.168.88.0/26 (own block)",
      "n2 192.168.89.0/24 -> 192.168.89.0/26 (own block)",
    ]);
  });

  test("a block that grows in place takes the one around itself where nobody else has part of it", () => {
    const plan = planOver(
      cluster().node("n1", "10.42.0.0/24").node("n2", "10.42.17.0/24").node("n3", "10.42.18.0/24"),
      "10.42.0.0/16",
      { nodeMaskSize: 20 },
    );
    // 10.42.16.0/20 is around two Nodes' blocks, and their indexes 17 and 18 are above the last of sixteen.
    expect(moves(plan)).toEqual([
      "n1 10.42.0.0/24 -> 10.42.0.0/20 (own block)",
      "n2 10.42.17.0/24 -> 10.42.32.0/20 (first free)",
      "n3 10.42.18.0/24 -> 10.42.48.0/20 (first free)",
    ]);
  });

  test("of a block that another Node has part of, the first part that is nobody else's", () => {
    const plan = planOver(
      cluster().node("n1", "10.0.0.0/24").node("n2", "10.0.0.0/27").node("n3", "10.0.0.64/27"),
      "10.0.0.0/16",
      { nodeMaskSize: 27 },
    );
    expect(moves(plan)).toEqual([
      "n1 10.0.0.0/24 -> 10.0.0.32/27 (own block)",
      "n2 10.0.0.0/27 -> 10.0.1.0/27 (first free)",
      "n3 10.0.0.64/27 -> 10.0.1.32/27 (first free)",
    ]);
  });

  test("of a block wider than the target, a part that lies in the target", () => {
    const plan = planOver(
      cluster().kcm({ "cluster-cidr": "10.0.0.0/8" }).node("n1", "10.2.0.0/15"),
      "10.3.0.0/16",
      {
        nodeMaskSize: 24,
      },
    );
    expect(moves(plan)).toEqual(["n1 10.2.0.0/15 -> 10.3.0.0/24 (own block)"]);
  });
});

describe("rule 3: the Node's index", () => {
  test("counts in blocks of the Node's own size from the old range", () => {
    const plan = planOver(
      cluster()
        .kcm(OLD)
        .node("n1", "10.112.4.0/24")
        .node("n2", "10.112.6.0/24")
        .node("n3", "10.112.1.128/25"),
      "10.212.0.0/16",
      { nodeMaskSize: 22 },
    );
    expect(moves(plan)).toEqual([
      "n1 10.112.4.0/24 -> 10.212.16.0/22 (index 4)",
      "n2 10.112.6.0/24 -> 10.212.24.0/22 (index 6)",
      "n3 10.112.1.128/25 -> 10.212.12.0/22 (index 3)",
    ]);
  });

  test("one above the target's last block is no index", () => {
    const plan = planOver(
      cluster().kcm(OLD).node("n1", "10.112.63.0/24").node("n2", "10.112.64.0/24"),
      "10.212.0.0/16",
      {
        nodeMaskSize: 22,
      },
    );
    expect(moves(plan)).toEqual([
      "n1 10.112.63.0/24 -> 10.212.252.0/22 (index 63)",
      "n2 10.112.64.0/24 -> 10.212.0.0/22 (first free)",
    ]);
  });

  test("of two Nodes with one index, the first in name order has it", () => {
    const plan = planOver(
      cluster().kcm(OLD).node("n10", "10.112.3.0/24").node("n9", "10.112.3.0/24"),
      "10.212.0.0/16",
    );
    expect(moves(plan)).toEqual([
      "n9 10.112.3.0/24 -> 10.212.3.0/24 (index 3)",
      "n10 10.112.3.0/24 -> 10.212.0.0/24 (first free)",
    ]);
  });

  test("a Node keeps what another has by index", () => {
    const plan = planOver(
      cluster().kcm(OLD).node("n1", "10.112.1.0/24").node("n2", "10.212.1.0/24").node("n3", "10.112.3.0/24"),
      "10.212.0.0/16",
      { nodeMaskSize: 24 },
    );
    expect(moves(plan)).toEqual([
      "n1 10.112.1.0/24 -> 10.212.0.0/24 (first free)",
      "n3 10.112.3.0/24 -> 10.212.3.0/24 (index 3)",
    ]);
  });
});

describe("rule 4: the first free one, in natural name order", () => {
  test("node-2 comes before node-10", () => {
    const names = ["node-10", "node-2", "node-1"];
    const builder = cluster().kcm(OLD);
    for (const name of names) builder.node(name);
    const plan = planOver(builder, "10.212.0.0/16", { assignMissing: true });
    expect(moves(plan)).toEqual([
      "node-1 none -> 10.212.0.0/24 (first free)",
      "node-2 none -> 10.212.1.0/24 (first free)",
      "node-10 none -> 10.212.2.0/24 (first free)",
    ]);
  });

  test("no first-free choice takes another Node's index", () => {
    const plan = planOver(
      cluster().kcm(OLD).node("a").node("b", "10.112.0.0/24").node("c", "10.112.1.0/24"),
      "10.212.0.0/16",
      { assignMissing: true },
    );
    expect(moves(plan)).toEqual([
      "a none -> 10.212.2.0/24 (first free)",
      "b 10.112.0.0/24 -> 10.212.0.0/24 (index 0)",
      "c 10.112.1.0/24 -> 10.212.1.0/24 (index 1)",
    ]);
  });
});

describe("--mapping compact: rules 1 and 4 only", () => {
  test("gaps close, in name order", () => {
    const plan = planOver(
      cluster()
        .kcm(OLD)
        .node("n1", "10.112.200.0/24")
        .node("n2", "10.212.1.0/24")
        .node("n3", "10.112.0.0/24"),
      "10.212.0.0/16",
      { mapping: "compact", nodeMaskSize: 24 },
    );
    expect(moves(plan)).toEqual([
      "n1 10.112.200.0/24 -> 10.212.0.0/24 (first free)",
      "n3 10.112.0.0/24 -> 10.212.2.0/24 (first free)",
    ]);
  });

  test("a Node's own block is free for itself, another's is not", () => {
    const plan = planOver(
      cluster().node("n1", "10.212.0.0/23").node("n2", "10.212.2.0/23").node("n3", "10.212.6.0/23"),
      "10.212.0.0/21",
      { mapping: "compact", nodeMaskSize: 24 },
    );
    expect(moves(plan)).toEqual([
      "n1 10.212.0.0/23 -> 10.212.0.0/24 (first free)",
      "n2 10.212.2.0/23 -> 10.212.2.0/24 (first free)",
      "n3 10.212.6.0/23 -> 10.212.4.0/24 (first free)",
    ]);
  });
});

describe("what is not free", () => {
  test("a reserved range is left out, though it blocks the plan where it overlaps the new range", () => {
    const plan = planOver(
      cluster().kcm(OLD).node("n1", "10.112.0.0/24").node("n2", "10.112.5.0/24"),
      "10.212.0.0/16",
      { reserved: ["10.212.0.0/22"] },
    );
    expect(moves(plan)).toEqual([
      "n1 10.112.0.0/24 -> 10.212.4.0/24 (first free)",
      "n2 10.112.5.0/24 -> 10.212.5.0/24 (index 5)",
    ]);
    expect(codes(plan)).toEqual(["blocker overlap"]);
  });

  test("blocks of Nodes that --node leaves out are taken", () => {
    const plan = planOver(
      cluster().kcm(OLD).node("n1", "10.112.0.0/24").node("n2", "10.212.0.0/24"),
      "10.212.0.0/16",
      {
        nodes: ["n1"],
        nodeMaskSize: 24,
      },
    );
    expect(moves(plan)).toEqual(["n1 10.112.0.0/24 -> 10.212.1.0/24 (first free)"]);
  });

  test("so are further blocks that such a Node holds", () => {
    const plan = planOver(
      cluster().kcm(OLD).node("n1", "10.112.0.0/24").node("n2", ["10.112.1.0/24", "10.212.0.0/24"]),
      "10.212.0.0/16",
      { nodes: ["n1"] },
    );
    expect(moves(plan)).toEqual(["n1 10.112.0.0/24 -> 10.212.1.0/24 (first free)"]);
  });

  test("another mover's current block is given away only where too few are left, and then it takes accepting", () => {
    // Four blocks of /22: by index n1 and n2 would get what the other one has.
    const crossed = cluster()
      .kcm({ "cluster-cidr": "10.0.0.0/16" })
      .node("n1", "10.0.4.0/24")
      .node("n2", "10.0.0.0/24");
    expect(moves(planOver(crossed, "10.0.0.0/20", { nodeMaskSize: 22, mapping: "index" }))).toEqual([
      "n1 10.0.4.0/24 -> 10.0.4.0/22 (own block)",
      "n2 10.0.0.0/24 -> 10.0.0.0/22 (own block)",
    ]);
    const tight = cluster().node("n1", "10.0.0.0/24").node("n2", "10.0.1.0/24").node("n3", "10.0.2.0/24");
    const options = { nodeMaskSize: 23 };
    const plan = planOver(tight, "10.0.0.0/22", options);
    expect(moves(plan)).toEqual([
      "n1 10.0.0.0/24 -> 10.0.0.0/23 (own block)",
      "n3 10.0.2.0/24 -> 10.0.2.0/23 (own block)",
    ]);
    expect(codes(plan)).toContain("blocker capacity");
    const fitting = cluster().node("n1", "10.0.0.0/24").node("n2", "10.0.1.0/24");
    const accepted = planOver(fitting, "10.0.0.0/22", { ...options, accept: ["overlaps-current-block"] });
    expect(blocksAfter(fitting.build(), accepted)).toEqual({ n1: "10.0.0.0/23", n2: "10.0.2.0/23" });
    expect(findingsOf(accepted, "overlaps-current-block").map(({ keys }) => keys)).toEqual([
      ["/registry/minions/n1"],
    ]);
    expect(isBlocked(accepted)).toBe(false);
    expect(isBlocked(planOver(fitting, "10.0.0.0/22", options))).toBe(true);
  });
});

describe("--node", () => {
  const scene = () =>
    cluster().kcm(OLD).node("n1", "10.112.0.0/24").node("n2", "10.112.1.0/24").node("stray", "10.0.0.0/24");

  test("only these are changed, also one outside the old range", () => {
    const plan = planOver(scene(), "10.212.0.0/16", { nodes: ["n2", "stray"] });
    expect(moves(plan)).toEqual([
      "n2 10.112.1.0/24 -> 10.212.1.0/24 (index 1)",
      "stray 10.0.0.0/24 -> 10.212.0.0/24 (first free)",
    ]);
    expect(codes(plan)).toEqual([]);
  });

  test("without it one outside is left alone", () => {
    const plan = planOver(scene(), "10.212.0.0/16");
    expect(moves(plan)).toEqual([
      "n1 10.112.0.0/24 -> 10.212.0.0/24 (index 0)",
      "n2 10.112.1.0/24 -> 10.212.1.0/24 (index 1)",
    ]);
    expect(codes(plan)).toEqual(["warning left-alone"]);
  });

  test("a Node that is not there is an error", () => {
    expect(() => planOver(scene(), "10.212.0.0/16", { nodes: ["n2", "n7", "n8"] })).toThrow(
      expect.objectContaining({
        code: "not-found",
        explanation: {
          what: "there is no Node n7, n8",
          why: "etcd holds 3 Nodes, none of that name",
          now: "nothing was written",
          next: "correct --node",
        },
      }),
    );
  });
});

describe("a Node whose block lies outside", () => {
  test("both ranges is outside; in one of them it is not", () => {
    const plan = planOver(
      cluster()
        .kcm({ "cluster-cidr": "10.112.0.0/17" })
        .node("a-old", "10.112.127.0/24")
        .node("b-past-old", "10.112.128.0/24")
        .node("c-new", "10.212.9.0/25"),
      "10.212.0.0/16",
      { nodeMaskSize: 24 },
    );
    expect(moves(plan)).toEqual([
      "a-old 10.112.127.0/24 -> 10.212.127.0/24 (index 127)",
      "c-new 10.212.9.0/25 -> 10.212.9.0/24 (own block)",
    ]);
    expect(findingsOf(plan, "left-alone").map(({ keys }) => keys)).toEqual([
      ["/registry/minions/b-past-old"],
    ]);
  });
});

describe("duplicates", () => {
  test("all holders of a duplicate move", () => {
    const plan = planOver(
      cluster().kcm(OLD).node("n1", "10.212.0.0/24").node("n2", "10.212.0.0/24").node("n3", "10.212.1.0/24"),
      "10.212.0.0/16",
    );
    expect(moves(plan)).toEqual([
      "n1 10.212.0.0/24 -> 10.212.2.0/24 (first free)",
      "n2 10.212.0.0/24 -> 10.212.3.0/24 (first free)",
    ]);
    expect(codes(plan)).toEqual(["warning duplicate-removed"]);
  });

  test("where there are too few blocks for that, one may get the shared block again once that is accepted", () => {
    const builder = cluster().node("n1", "10.0.0.0/24").node("n2", "10.0.0.0/24").node("n3", "10.0.1.0/24");
    const plan = planOver(builder, "10.0.0.0/22", {
      reserved: ["10.0.3.0/24"],
      accept: ["overlaps-current-block"],
    });
    expect(blocksAfter(builder.build(), plan)).toEqual({
      n1: "10.0.0.0/24",
      n2: "10.0.2.0/24",
      n3: "10.0.1.0/24",
    });
    expect(codes(plan)).toEqual([
      "blocker overlap",
      "blocker overlaps-current-block",
      "warning duplicate-removed",
    ]);
  });

  test("what a Node leaves may be needed to place all, without anybody getting what another one has", () => {
    const builder = cluster().node("n1", ["10.112.0.0/24", "10.0.0.0/24"]).node("n2");
    const plan = planOver(builder, "10.0.0.0/23", { mapping: "compact", assignMissing: true });
    expect(blocksAfter(builder.build(), plan)).toEqual({ n1: "10.0.0.0/24", n2: "10.0.1.0/24" });
    expect(codes(plan)).toEqual(["warning nearly-full", "warning duplicate-removed"]);
  });

  test("a Node's own second block is no other Node's", () => {
    const plan = planOver(
      cluster().kcm({ "cluster-cidr": "10.212.0.0/16" }).node("n1", ["10.212.0.0/24", "10.212.0.0/24"]),
      "10.212.0.0/16",
    );
    expect(moves(plan)).toEqual(["n1 10.212.0.0/24,10.212.0.0/24 -> 10.212.0.0/24 (kept)"]);
  });
});

import { describe, expect, test } from "vitest";
import type { ChangePodCidrIntent } from "../../src/plan/intent.js";
import type { ReadSet } from "../../src/plan/read-set.js";
import { type ClusterBuilder, cluster, nodeFacts } from "../harness/read-set.js";
import {
  applied,
  blocksAfter,
  codes,
  findingsOf,
  isBlocked,
  type JournalOptions,
  journaled,
  moves,
  planOver,
  rollbackOver,
  updates,
  withNodes,
} from "./scene.js";

const OLD = { "cluster-cidr": "10.112.0.0/16" };

/** A change that was carried out, and the cluster right after it. */
function changed(
  builder: ClusterBuilder,
  cidrs = "10.212.0.0/16",
  options: Partial<ChangePodCidrIntent> = {},
  journal: JournalOptions = {},
) {
  const before = builder.build();
  const plan = planOver(builder, cidrs, options);
  return { before, plan, after: applied(before, plan), change: journaled(plan, journal) };
}

const stored = ({ nodes }: ReadSet) => nodes.map(({ name, podCidr, podCidrs }) => [name, podCidr, podCidrs]);

const two = () => cluster().kcm(OLD).node("n1", "10.112.0.0/24").node("n2", "10.112.1.0/24");

describe("the way back", () => {
  test("gives every Node its old values, compared on what it is now", () => {
    const { after, change } = changed(two());
    const plan = rollbackOver(after, change);
    expect(updates(plan)).toEqual([
      {
        action: "update",
        key: "/registry/minions/n1",
        modRevision: 101n,
        sha256: "sha256-of-n1",
        edits: [
          { path: "spec.podCIDR", old: "10.212.0.0/24", new: "10.112.0.0/24" },
          { path: "spec.podCIDRs", old: ["10.212.0.0/24"], new: ["10.112.0.0/24"] },
        ],
      },
      {
        action: "update",
        key: "/registry/minions/n2",
        modRevision: 101n,
        sha256: "sha256-of-n2",
        edits: [
          { path: "spec.podCIDR", old: "10.212.1.0/24", new: "10.112.1.0/24" },
          { path: "spec.podCIDRs", old: ["10.212.1.0/24"], new: ["10.112.1.0/24"] },
        ],
      },
    ]);
    expect(plan.outline).toEqual({
      families: [
        {
          family: 4,
          target: "10.112.0.0/16",
          nodeMask: 24,
          nodeMaskSource: "as most Nodes had before the change",
          oldRange: "10.212.0.0/16",
          oldRangeSource: "the change that is rolled back",
          blocks: 256n,
          used: 2,
        },
      ],
      nodes: [
        {
          name: "n1",
          key: "/registry/minions/n1",
          uid: "uid-of-n1",
          before: ["10.212.0.0/24"],
          after: ["10.112.0.0/24"],
          choices: ["as before"],
        },
        {
          name: "n2",
          key: "/registry/minions/n2",
          uid: "uid-of-n2",
          before: ["10.212.1.0/24"],
          after: ["10.112.1.0/24"],
          choices: ["as before"],
        },
      ],
      unchanged: 0,
    });
    expect(plan.findings).toEqual([]);
  });

  test("odd old values come back as they were: text, order, absence", () => {
    const builder = cluster()
      .kcm(OLD)
      .node("bits", "10.112.5.7/24")
      .node("zeros", "010.112.006.000/24")
      .node("pair", { podCidr: "10.112.7.0/24", podCidrs: ["10.112.8.0/24"] })
      .node("no-list", { podCidr: "10.112.9.0/24", podCidrs: [] })
      .node("no-first", { podCidr: null, podCidrs: ["10.112.10.0/24"] })
      .node("empty-first", { podCidr: "", podCidrs: ["10.112.11.0/24"] })
      .node("surplus", ["10.112.12.0/24", "10.112.13.0/24"])
      .node("upper", ["10.112.14.0/24", "FD00:0:0::/64"]);
    const { before, after, change } = changed(builder, "10.212.0.0/16", { nodeMaskSize: 24 });
    expect(stored(after)).not.toEqual(stored(before));
    const plan = rollbackOver(after, change);
    expect(stored(applied(after, plan))).toEqual(stored(before));
    expect(isBlocked(plan)).toBe(false);
  });

  test("a Node that was given blocks for the first time has none again", () => {
    const { before, after, change } = changed(cluster().kcm(OLD).node("n1"), "10.212.0.0/16", {
      assignMissing: true,
    });
    const plan = rollbackOver(after, change);
    expect(updates(plan).map(({ edits }) => edits)).toEqual([
      [
        { path: "spec.podCIDR", old: "10.212.0.0/24" },
        { path: "spec.podCIDRs", old: ["10.212.0.0/24"] },
      ],
    ]);
    expect(plan.outline.families.map(({ target }) => target)).toEqual(["10.112.0.0/16"]);
    expect(stored(applied(after, plan))).toEqual(stored(before));
  });

  test("duplicates come back, with a warning", () => {
    const twins = cluster().kcm(OLD).node("n1", "10.112.3.0/24").node("n2", "10.112.3.0/24");
    const { before, after, change } = changed(twins);
    const plan = rollbackOver(after, change);
    expect(stored(applied(after, plan))).toEqual(stored(before));
    expect(findingsOf(plan, "duplicate-block")).toEqual([
      {
        code: "duplicate-block",
        severity: "warning",
        acceptable: false,
        keys: ["/registry/minions/n1", "/registry/minions/n2"],
        what: "n1, n2 will hold the same addresses (10.112.3.0/24)",
        why: "the old blocks are given back as they were, and these Nodes have shared them before or have come by them since",
        next: "give all but one of them another block right afterwards",
      },
    ]);
  });

  test("Nodes that the change had not touched are left as they are", () => {
    const builder = two().node("done", "10.212.7.0/24").node("none").node("stray", "10.0.0.0/24");
    const { before, after, change } = changed(builder, "10.212.0.0/16", { nodeMaskSize: 24 });
    expect(stored(applied(after, rollbackOver(after, change)))).toEqual(stored(before));
  });

  test("heartbeats, labels and status written since are no matter: today's revisions are compared", () => {
    const { after, change } = changed(two());
    const beaten = {
      ...after,
      nodes: after.nodes.map((node) => ({ ...node, modRevision: 7777n, sha256: "x" })),
    };
    const plan = rollbackOver(beaten, change);
    expect(updates(plan).map(({ modRevision, sha256 }) => [modRevision, sha256])).toEqual([
      [7777n, "x"],
      [7777n, "x"],
    ]);
  });

  test("of a change that was written in part: the rest is as it was", () => {
    const { before, plan } = changed(two());
    const change = journaled(plan, { written: ["n1"], end: "part-applied" });
    const part = { ...before, nodes: [...applied(before, plan).nodes.slice(0, 1), ...before.nodes.slice(1)] };
    expect(moves(rollbackOver(part, change))).toEqual(["n1 10.212.0.0/24 -> 10.112.0.0/24 (as before)"]);
  });

  test("of a change in doubt: each Node is what it is", () => {
    const { before, plan } = changed(two());
    const change = journaled(plan, { written: [], doubtful: ["n1", "n2"], end: "in-doubt" });
    const part = { ...before, nodes: [...before.nodes.slice(0, 1), ...applied(before, plan).nodes.slice(1)] };
    const back = rollbackOver(part, change);
    expect(moves(back)).toEqual(["n2 10.212.1.0/24 -> 10.112.1.0/24 (as before)"]);
    expect(back.findings).toEqual([]);
  });

  test("has nothing to do where the old values are back already", () => {
    const { before, change } = changed(two());
    expect(rollbackOver(before, change).stages).toEqual([]);
  });
});

describe("a rollback of a rollback", () => {
  test("is the change once more", () => {
    const { after, change } = changed(two());
    const back = rollbackOver(after, change);
    const original = applied(after, back);
    const again = rollbackOver(original, journaled(back, { changeId: "change-2" }));
    expect(stored(applied(original, again))).toEqual(stored(after));
    expect(again.outline.families).toMatchObject([
      { target: "10.212.0.0/16", oldRange: "10.112.0.0/16", nodeMask: 24 },
    ]);
  });
});

describe("Nodes that joined since", () => {
  const joined = (name: string, podCidrs: readonly string[], uid = `uid-of-new-${name}`) =>
    nodeFacts(name, { podCidrs, uid });

  test("get a block of the old range in the same plan, by index where it is free", () => {
    const { after, change } = changed(two());
    const now = withNodes(after, [
      joined("n3", ["10.212.2.0/24"]),
      joined("n4", ["10.212.1.0/25"]),
      joined("n5", ["10.99.0.0/24"]),
    ]);
    expect(moves(rollbackOver(now, change))).toEqual([
      "n1 10.212.0.0/24 -> 10.112.0.0/24 (as before)",
      "n2 10.212.1.0/24 -> 10.112.1.0/24 (as before)",
      "n3 10.212.2.0/24 -> 10.112.2.0/24 (joined since, index)",
      "n4 10.212.1.0/25 -> 10.112.3.0/24 (joined since, first free)",
      "n5 10.99.0.0/24 -> 10.112.4.0/24 (joined since, first free)",
    ]);
  });

  test("get the mask that most Nodes had", () => {
    const { after, change } = changed(two(), "10.212.0.0/16", { nodeMaskSize: 22 });
    const plan = rollbackOver(withNodes(after, [joined("n3", ["10.212.8.0/22"])]), change);
    expect(moves(plan).at(-1)).toBe("n3 10.212.8.0/22 -> 10.112.2.0/24 (joined since, index)");
  });

  test("keep a block of the old range that is nobody else's", () => {
    const { after, change } = changed(two());
    const now = withNodes(after, [joined("n3", ["10.112.9.0/24"]), joined("n4", ["10.112.1.0/24"])]);
    expect(moves(rollbackOver(now, change)).slice(2)).toEqual([
      "n4 10.112.1.0/24 -> 10.112.2.0/24 (joined since, first free)",
    ]);
  });

  test("do not get what a Node that is given back its block holds now", () => {
    const builder = cluster()
      .node("n1", "10.0.0.0/24")
      .node("n2", "10.0.1.0/24")
      .kcm({ "cluster-cidr": "10.0.0.0/16" });
    const { after, change } = changed(builder, "10.0.0.0/16", { nodeMaskSize: 25, mapping: "compact" });
    expect(stored(after).map(([, podCidr]) => podCidr)).toEqual(["10.0.0.0/25", "10.0.1.0/25"]);
    const plan = rollbackOver(withNodes(after, [joined("n3", ["10.0.0.128/25"])]), change);
    expect(moves(plan).at(-1)).toBe("n3 10.0.0.128/25 -> 10.0.2.0/24 (joined since, first free)");
  });

  test("one that was re-created under its name has joined since, whatever it holds", () => {
    const { after, change } = changed(two());
    const plan = rollbackOver(withNodes(after, [joined("n2", ["10.212.1.0/24"])]), change);
    expect(moves(plan)).toEqual([
      "n1 10.212.0.0/24 -> 10.112.0.0/24 (as before)",
      "n2 10.212.1.0/24 -> 10.112.1.0/24 (joined since, index)",
    ]);
    expect(findingsOf(plan, "deleted-since").map(({ keys }) => keys)).toEqual([["/registry/minions/n2"]]);
  });

  test("so has one that was there without a block and got one since", () => {
    const { after, change } = changed(two().node("n3"));
    const assigned = nodeFacts("n3", { podCidrs: ["10.212.2.0/24"] });
    expect(moves(rollbackOver(withNodes(after, [assigned]), change)).at(-1)).toBe(
      "n3 10.212.2.0/24 -> 10.112.2.0/24 (joined since, index)",
    );
  });

  test("one without a block gets none, and nothing is said of it", () => {
    const { after, change } = changed(two());
    const plan = rollbackOver(withNodes(after, [joined("n3", [])]), change);
    expect(plan.outline.nodes.map(({ name }) => name)).toEqual(["n1", "n2"]);
    expect(plan.findings).toEqual([]);
  });

  test("keep the family that the change did not concern", () => {
    const builder = cluster()
      .kcm({ "cluster-cidr": "10.112.0.0/16,fd00:10:112::/48" })
      .node("n1", ["10.112.0.0/24", "fd00:10:112::/64"]);
    const { after, change } = changed(builder);
    const now = withNodes(after, [joined("n2", ["10.212.1.0/24", "fd00:10:112:1::/64"])]);
    expect(blocksAfter(now, rollbackOver(now, change))).toEqual({
      n1: "10.112.0.0/24,fd00:10:112::/64",
      n2: "10.112.1.0/24,fd00:10:112:1::/64",
    });
  });

  test("are moved in the family that they have", () => {
    const builder = cluster()
      .kcm({ "cluster-cidr": "10.112.0.0/16,fd00:1::/48" })
      .node("n1", ["10.112.0.0/24", "fd00:1::/64"]);
    const { after, change } = changed(builder, "10.212.0.0/16,fd00:2::/48");
    const now = withNodes(after, [joined("n2", ["10.212.1.0/24"])]);
    expect(blocksAfter(now, rollbackOver(now, change))).toEqual({
      n1: "10.112.0.0/24,fd00:1::/64",
      n2: "10.112.1.0/24",
    });
  });

  test("may share what a Node leaves: both get blocks of their own", () => {
    const { after, change } = changed(two());
    const plan = rollbackOver(withNodes(after, [joined("n3", ["10.212.1.0/24"])]), change);
    expect(moves(plan).slice(1)).toEqual([
      "n2 10.212.1.0/24 -> 10.112.1.0/24 (as before)",
      "n3 10.212.1.0/24 -> 10.112.2.0/24 (joined since, first free)",
    ]);
    expect(codes(plan)).toEqual(["warning duplicate-removed"]);
  });

  test("too many of them for the old range block the rollback", () => {
    const builder = cluster().kcm({ "cluster-cidr": "10.112.0.0/24" }).node("n1", "10.112.0.0/24");
    const { after, change } = changed(builder);
    const plan = rollbackOver(withNodes(after, [joined("n2", ["10.212.1.0/24"])]), change);
    expect(codes(plan)).toEqual(["blocker capacity"]);
  });

  test("where all blocks lay in the new range before, that is the range they go back to", () => {
    const builder = cluster().node("n1", "10.42.0.0/24").node("n2", "10.42.1.0/24");
    const { after, change } = changed(builder, "10.42.0.0/16", { nodeMaskSize: 20 });
    const plan = rollbackOver(withNodes(after, [joined("n3", ["10.42.48.0/20"])]), change);
    expect(moves(plan).at(-1)).toBe("n3 10.42.48.0/20 -> 10.42.48.0/24 (joined since, own block)");
  });
});

describe("--leave-new-nodes", () => {
  const scene = () => {
    const { after, change } = changed(two());
    const now = withNodes(after, [
      nodeFacts("n3", { podCidrs: ["10.212.2.0/24"], uid: "new-3" }),
      nodeFacts("n4", { podCidrs: ["10.112.9.0/24"], uid: "new-4" }),
      nodeFacts("n5", { uid: "new-5" }),
    ]);
    return { now, change };
  };

  test("leaves them, and says that kube-controller-manager will exit", () => {
    const { now, change } = scene();
    const plan = rollbackOver(now, change, { leaveNewNodes: true });
    expect(plan.outline.nodes.map(({ name }) => name)).toEqual(["n1", "n2"]);
    expect(plan.findings).toEqual([
      {
        code: "new-nodes-left",
        severity: "warning",
        acceptable: false,
        keys: ["/registry/minions/n3"],
        what: "Nodes that joined since keep their blocks: n3",
        why: "kube-controller-manager with the old flags exits at start while a Node is outside its range",
        next: "leave out --leave-new-nodes, or delete these Nodes before it is started",
      },
    ]);
  });

  test("without it there is no such finding", () => {
    const { now, change } = scene();
    expect(rollbackOver(now, change).findings).toEqual([]);
  });

  test("one that is outside in one of two families is named", () => {
    const builder = cluster()
      .kcm({ "cluster-cidr": "10.112.0.0/16,fd00:1::/48" })
      .node("n1", ["10.112.0.0/24", "fd00:1::/64"]);
    const { after, change } = changed(builder, "10.212.0.0/16,fd00:2::/48");
    const now = withNodes(after, [
      nodeFacts("n2", { podCidrs: ["10.112.5.0/24", "fd00:2:0:5::/64"], uid: "new" }),
    ]);
    expect(codes(rollbackOver(now, change, { leaveNewNodes: true }))).toEqual(["warning new-nodes-left"]);
  });

  test("one with a family that goes is named too", () => {
    const { after, change } = changed(two(), "fd00:a0::/56", { addFamily: true });
    const now = withNodes(after, [
      nodeFacts("n3", { podCidrs: ["10.112.2.0/24", "fd00:a0:0:2::/64"], uid: "new" }),
    ]);
    expect(findingsOf(rollbackOver(now, change, { leaveNewNodes: true }), "new-nodes-left")).toMatchObject([
      { keys: ["/registry/minions/n3"] },
    ]);
  });
});

describe("deleted-since", () => {
  test("Nodes that are gone are listed", () => {
    const { after, change } = changed(two());
    const plan = rollbackOver(withNodes(after, [], ["n1"]), change);
    expect(moves(plan)).toEqual(["n2 10.212.1.0/24 -> 10.112.1.0/24 (as before)"]);
    expect(plan.findings).toEqual([
      {
        code: "deleted-since",
        severity: "warning",
        acceptable: false,
        keys: ["/registry/minions/n1"],
        what: "Nodes have been deleted since: n1",
        why: "there is nothing to give their old blocks back to",
        next: "nothing",
      },
    ]);
  });

  test("not one that was never written", () => {
    const { before, plan } = changed(two());
    const change = journaled(plan, { written: ["n2"], end: "part-applied" });
    expect(codes(rollbackOver(withNodes(before, [], ["n1"]), change))).toEqual([]);
  });
});

describe("changed-since", () => {
  const scene = () => {
    const { after, change } = changed(two());
    return { change, now: withNodes(after, [nodeFacts("n1", { podCidrs: ["10.212.77.0/24"] })]) };
  };

  test("a Node whose fields are no longer what was written blocks until it is accepted, and is then left", () => {
    const { now, change } = scene();
    const plan = rollbackOver(now, change);
    expect(plan.findings).toEqual([
      {
        code: "changed-since",
        severity: "blocker",
        acceptable: true,
        keys: ["/registry/minions/n1"],
        what: "blocks have been changed again since: n1 (10.212.77.0/24)",
        why: "they are neither what this change wrote nor what was there before, so somebody else meant them; accepted, these Nodes are left as they are",
        next: "find out who",
      },
    ]);
    expect(isBlocked(plan)).toBe(true);
    const accepted = rollbackOver(now, change, { accept: ["changed-since"] });
    expect(isBlocked(accepted)).toBe(false);
    expect(moves(accepted)).toEqual(["n2 10.212.1.0/24 -> 10.112.1.0/24 (as before)"]);
  });

  test("half of a pair is enough", () => {
    const { after, change } = changed(two());
    const half = nodeFacts("n1", { podCidr: "10.212.0.0/24", podCidrs: ["10.212.9.0/24"] });
    expect(codes(rollbackOver(withNodes(after, [half]), change))).toEqual(["blocker changed-since"]);
  });

  test("so is the half that the change had no need to edit", () => {
    const { after, change } = changed(two(), "fd00:a0::/56", { addFamily: true });
    const podCidrs = ["10.112.0.0/24", "fd00:a0::/64"];
    const other = nodeFacts("n1", { podCidr: "10.112.99.0/24", podCidrs });
    expect(codes(rollbackOver(withNodes(after, [other]), change))).toEqual(["blocker changed-since"]);
    expect(codes(rollbackOver(withNodes(after, [nodeFacts("n1", { podCidrs })]), change))).toEqual([]);
  });

  test("what was written or what was there before is none", () => {
    const { after, change } = changed(two());
    const back = nodeFacts("n1", { podCidrs: ["10.112.0.0/24"] });
    expect(codes(rollbackOver(withNodes(after, [back]), change))).toEqual([]);
  });

  test("its block is taken for those that joined", () => {
    const { after, change } = changed(two());
    const now = withNodes(after, [
      nodeFacts("n1", { podCidrs: ["10.112.2.0/24"] }),
      nodeFacts("n3", { podCidrs: ["10.212.2.0/24"], uid: "new" }),
    ]);
    expect(moves(rollbackOver(now, change)).at(-1)).toBe(
      "n3 10.212.2.0/24 -> 10.112.0.0/24 (joined since, first free)",
    );
  });
});

describe("a family that the change had added", () => {
  const scene = () => changed(two(), "fd00:a0::/56", { addFamily: true });

  test("goes again from the Nodes that got it, and from those that joined with it", () => {
    const { after, change } = scene();
    const now = withNodes(after, [
      nodeFacts("n3", { podCidrs: ["10.112.2.0/24", "fd00:a0:0:2::/64"], uid: "new" }),
    ]);
    const plan = rollbackOver(now, change);
    expect(moves(plan)).toEqual([
      "n1 10.112.0.0/24,fd00:a0::/64 -> 10.112.0.0/24 (as before)",
      "n2 10.112.1.0/24,fd00:a0:0:1::/64 -> 10.112.1.0/24 (as before)",
      "n3 10.112.2.0/24,fd00:a0:0:2::/64 -> 10.112.2.0/24 (joined since, without the added family)",
    ]);
    expect(plan.outline.families).toEqual([
      {
        family: 6,
        target: "(none)",
        nodeMask: 64,
        nodeMaskSource: "of the range that goes",
        oldRange: "fd00:a0::/56",
        oldRangeSource: "the change that is rolled back, which had added this family",
        blocks: 0n,
        used: 0,
      },
    ]);
  });

  test("also when the flags named it before", () => {
    const flags = { "cluster-cidr": "10.112.0.0/16,fd00:a0::/56" };
    const builder = cluster().kcm(flags).node("n1", "10.112.0.0/24");
    const { after, change } = changed(builder, "fd00:a0::/56", { addFamily: true });
    expect(rollbackOver(after, change).outline.families).toMatchObject([{ family: 6, target: "(none)" }]);
  });

  test("comes back when that rollback is rolled back", () => {
    const { after, change } = scene();
    const back = rollbackOver(after, change);
    const original = applied(after, back);
    const again = rollbackOver(original, journaled(back, { changeId: "change-2" }));
    expect(stored(applied(original, again))).toEqual(stored(after));
    expect(again.outline.families).toMatchObject([{ family: 6, target: "fd00:a0::/56" }]);
  });

  test("a family that other Nodes had is no added one", () => {
    const builder = two().node("n0", ["10.112.9.0/24", "fd00:a0:0:9::/64"]);
    const { before, after, change } = changed(builder, "fd00:a0::/56", { addFamily: true });
    const now = withNodes(after, [
      nodeFacts("n3", { podCidrs: ["10.112.2.0/24", "fd00:a0:0:2::/64"], uid: "new" }),
    ]);
    const plan = rollbackOver(now, change);
    expect(blocksAfter(now, plan)).toMatchObject({ n3: "10.112.2.0/24,fd00:a0:0:2::/64" });
    expect(stored(applied(after, rollbackOver(after, change)))).toEqual(stored(before));
  });
});

describe("what was stored before may always be restored", () => {
  const services = { serviceRanges: [{ cidr: "10.112.96.0/20", source: "a" }] };
  const rows: [string, Partial<ReadSet>][] = [
    ["overlap", services],
    ["operator-owned", { ownerKeys: ["/registry/operator.openshift.io/networks/cluster"] }],
    ["cni-ignores-node", { cilium: { nodes: [], ipam: "cluster-pool" } }],
  ];

  test.each(rows)("%s is a warning", (code, rest) => {
    const { after, change } = changed(two());
    const plan = rollbackOver({ ...after, ...rest }, change);
    expect(findingsOf(plan, code)).toMatchObject([{ severity: "warning", acceptable: false }]);
    expect(isBlocked(plan)).toBe(false);
  });

  test("not-private and ipv4-difference are warnings", () => {
    const builder = cluster().kcm({ "cluster-cidr": "11.0.0.0/8" }).node("n1", "11.0.0.0/25");
    const { after, change } = changed(builder);
    expect(codes(rollbackOver(after, change))).toEqual(["warning not-private", "warning ipv4-difference"]);
  });

  test("ipv6-difference and family-order are warnings", () => {
    const builder = cluster()
      .kcm({ "cluster-cidr": "10.112.0.0/16,fd00::/32" })
      .node("n1", ["10.112.0.0/24", "fd00::/64"])
      .node("n2", ["10.112.1.0/24", "fd00:0:0:1::/64"]);
    const { after, change } = changed(builder, "10.212.0.0/16,fd01::/48");
    const odd = nodeFacts("n3", { podCidrs: ["fd00:0:0:9::/64"], uid: "new" });
    expect(codes(rollbackOver(withNodes(after, [odd]), change))).toEqual([
      "warning ipv6-difference",
      "warning family-order",
      "warning left-alone",
    ]);
  });

  test("node-block-too-small and pods-outside-block are warnings for old values", () => {
    const builder = cluster()
      .kcm(OLD)
      .node("n1", { podCidrs: ["10.112.0.0/26"], podCapacity: 110 })
      .pod("a/high", "n1", "10.112.0.250");
    const { after, change } = changed(builder, "10.112.0.0/16", { nodeMaskSize: 24 });
    expect(codes(rollbackOver(after, change))).toEqual([
      "warning node-block-too-small",
      "warning pods-outside-block",
    ]);
  });

  test("for a value that the rollback chooses they block", () => {
    const { after, change } = changed(cluster().kcm(OLD).node("n1", "10.112.0.0/26"), "10.212.0.0/16", {
      nodeMaskSize: 24,
    });
    const now = withNodes(after, [
      nodeFacts("n2", { podCidrs: ["10.212.9.0/24"], podCapacity: 110, uid: "new" }),
    ]);
    const plan = rollbackOver(now, change);
    expect(findingsOf(plan, "node-block-too-small")).toMatchObject([
      { severity: "blocker", acceptable: true, keys: ["/registry/minions/n2"] },
    ]);
    expect(isBlocked(plan)).toBe(true);
  });

  test("what cannot be read blocks: nobody knows whether it was written", () => {
    const { after, change } = changed(two());
    const unreadable = [{ key: "/registry/minions/n9", why: "cut short" }];
    expect(codes(rollbackOver({ ...after, unreadable }, change))).toEqual(["blocker unreadable"]);
  });

  test("blockers come before what a rollback alone knows", () => {
    const builder = cluster()
      .kcm({ "cluster-cidr": "10.112.0.0/24" })
      .node("n1", "10.112.0.0/24")
      .node("n0", "10.112.0.0/25");
    const { after, change } = changed(builder, "10.212.0.0/16", { nodeMaskSize: 24 });
    const now = withNodes(after, [nodeFacts("n2", { podCidrs: ["10.212.9.0/24"], uid: "new" })], ["n0"]);
    expect(codes(rollbackOver(now, change))).toEqual(["blocker capacity", "warning deleted-since"]);
  });

  test("names no flags that a rollback does not have", () => {
    const full = cluster().kcm({ "cluster-cidr": "10.112.0.0/24" }).node("n1", "10.112.0.0/24");
    const one = changed(full, "10.212.0.0/16", { nodeMaskSize: 24 });
    const joined = nodeFacts("n2", { podCidrs: ["10.212.9.0/24"], uid: "new" });
    expect(findingsOf(rollbackOver(withNodes(one.after, [joined]), one.change), "capacity")).toMatchObject([
      { next: "--leave-new-nodes leaves Nodes that joined since where they are; or delete Nodes" },
    ]);
    const { after, change } = changed(two(), "10.212.0.0/16", { nodes: ["n1"] });
    const twin = nodeFacts("n3", { podCidrs: ["10.112.1.0/24"], uid: "new" });
    const shared = rollbackOver(withNodes(after, [twin]), change, { leaveNewNodes: true });
    expect(findingsOf(shared, "duplicate-block").map(({ next }) => next)).toEqual([
      "give all but one of them another block right afterwards",
    ]);
    const stray = nodeFacts("n4", { podCidrs: ["10.9.0.0/24"], uid: "new" });
    const left = rollbackOver(withNodes(after, [stray]), change, { leaveNewNodes: true });
    expect(left.findings.filter(({ next }) => /--(node|assign|add)/.test(next))).toEqual([]);
  });

  test("an old block that somebody else has got meanwhile is given back with a warning", () => {
    const { after, change } = changed(two());
    const now = withNodes(after, [nodeFacts("n3", { podCidrs: ["10.112.1.0/24"], uid: "new" })]);
    const plan = rollbackOver(now, change, { leaveNewNodes: true });
    expect(codes(plan)).toEqual(["warning duplicate-block"]);
    expect(plan.findings[0]?.keys).toEqual(["/registry/minions/n2", "/registry/minions/n3"]);
  });
});

import { describe, expect, test } from "vitest";
import { planChangePodCidr } from "../../src/plan/change-pod-cidr.js";
import { schema } from "../harness/descriptor.js";
import { type FixtureKey, readFixture } from "../harness/fixture.js";
import { cluster, fixtureReadSet } from "../harness/read-set.js";
import { blocksAfter, changeIntent, codes, moves, planOver, updates } from "./scene.js";

const seed = () => cluster().nodes("etcdhelper-node-", 4, (index) => `10.112.${index}.0/24`);

const SEED_MOVES = [
  "etcdhelper-node-0 10.112.0.0/24 -> 10.212.0.0/22 (index 0)",
  "etcdhelper-node-1 10.112.1.0/24 -> 10.212.4.0/22 (index 1)",
  "etcdhelper-node-2 10.112.2.0/24 -> 10.212.8.0/22 (index 2)",
  "etcdhelper-node-3 10.112.3.0/24 -> 10.212.12.0/22 (index 3)",
];

describe("the seed: four Nodes from 10.112.0.0/16 to 10.212.0.0/16 in blocks of /22", () => {
  test("with --node-cidr-mask-size 22", () => {
    const plan = planOver(seed(), "10.212.0.0/16", { nodeMaskSize: 22 });
    expect(moves(plan)).toEqual(SEED_MOVES);
    expect(updates(plan)[3]).toEqual({
      action: "update",
      key: "/registry/minions/etcdhelper-node-3",
      modRevision: 100n,
      sha256: "sha256-of-etcdhelper-node-3",
      edits: [
        { path: "spec.podCIDR", old: "10.112.3.0/24", new: "10.212.12.0/22" },
        { path: "spec.podCIDRs", old: ["10.112.3.0/24"], new: ["10.212.12.0/22"] },
      ],
    });
    expect(plan.outline.families).toEqual([
      {
        family: 4,
        target: "10.212.0.0/16",
        nodeMask: 22,
        nodeMaskSource: "as asked for",
        oldRange: "10.112.0.0/22",
        oldRangeSource: "the smallest prefix over the Nodes' blocks",
        blocks: 64n,
        used: 4,
      },
    ]);
    expect(plan.findings).toEqual([]);
  });

  test("with kube-controller-manager's flags changed already and no mask given", () => {
    const changed = { "cluster-cidr": "10.212.0.0/16", "node-cidr-mask-size": "22" };
    const plan = planOver(seed().kcm(changed), "10.212.0.0/16");
    expect(moves(plan)).toEqual(SEED_MOVES);
    expect(plan.outline.families[0]).toMatchObject({
      nodeMask: 22,
      nodeMaskSource: "--node-cidr-mask-size of kube-controller-manager on kube-1",
      oldRange: "10.112.0.0/22",
    });
    expect(plan.findings).toEqual([]);
  });
});

describe("the recorded cluster of Kubernetes 1.36", () => {
  const readSet = fixtureReadSet("v1.36-single");
  const nodesOf = (fixture: string): FixtureKey[] =>
    readFixture(fixture).filter(({ key }) => key.startsWith("/registry/minions/"));

  test("compact gives exactly what a real change wrote, to the byte", () => {
    const intent = changeIntent("10.212.0.0/16", { nodeMaskSize: 22, mapping: "compact" });
    const plan = planChangePodCidr(intent, readSet);
    const stored = new Map(nodesOf("v1.36-single").map(({ key, value }) => [key, value]));
    const written = updates(plan).map(({ key, edits }): [string, string] => [
      key,
      Buffer.from(schema.edit(key, stored.get(key) ?? new Uint8Array(), edits)).toString("base64"),
    ]);
    const expected = nodesOf("v1.36-single.after-pod-change").map(({ key, value }): [string, string] => [
      key,
      Buffer.from(value).toString("base64"),
    ]);
    expect(written).toHaveLength(5);
    expect(written).toEqual(expected);
  });

  test("by index the gaps stay", () => {
    const plan = planChangePodCidr(changeIntent("10.212.0.0/16", { nodeMaskSize: 22 }), readSet);
    expect(blocksAfter(readSet, plan)).toEqual({
      "kube-1": "10.212.0.0/22",
      "kube-2": "10.212.4.0/22",
      "kube-3": "10.212.8.0/22",
      "worker-1": "10.212.16.0/22",
      "worker-2": "10.212.24.0/22",
    });
    expect(plan.outline.families[0]).toMatchObject({
      oldRange: "10.112.0.0/16",
      oldRangeSource: "--cluster-cidr of kube-controller-manager on kube-1",
    });
    expect(codes(plan)).toEqual([]);
  });

  test("the changed cluster has nothing left to do", () => {
    const after = fixtureReadSet("v1.36-single.after-pod-change");
    const plan = planChangePodCidr(changeIntent("10.212.0.0/16", { nodeMaskSize: 22 }), after);
    expect(plan.stages).toEqual([]);
  });
});

import { describe, expect, test } from "vitest";
import type { FamilyOutline } from "../../src/plan/plan.js";
import { planIntent } from "../../src/plan/plan-intent.js";
import { planRestoreUnreadable } from "../../src/plan/restore-unreadable.js";
import type { Format } from "../../src/storage/format.js";
import { type ClusterBuilder, cluster, NOW_MS, PREFIX } from "../harness/read-set.js";
import { codes, planOver as planChange } from "./scene.js";

const KEY = "/registry/minions/n1";
const INTENT = {
  operation: "restore-unreadable",
  nowMs: NOW_MS,
  prefix: PREFIX,
  accept: [],
  oneTransaction: false,
  changeId: "20261201-113000-7f3a9c",
  key: KEY,
} as const;

const broken = () =>
  cluster()
    .node("n2", "10.212.4.0/22")
    .with({ unreadable: [{ key: KEY, why: "it ends too early" }] });

const changed = () =>
  planChange(cluster().node("n1", "10.112.0.0/24").node("n2", "10.112.1.0/24"), "10.212.0.0/16", {
    nodeMaskSize: 22,
  });

function planOver(
  builder: ClusterBuilder,
  format: Format = "protobuf",
  movedTo: readonly FamilyOutline[] = [],
) {
  const metadata = { name: "n1", uid: "uid-of-n1" };
  const object = { metadata, spec: { podCIDR: "10.112.0.0/24", podCIDRs: ["10.112.0.0/24"] } };
  return planRestoreUnreadable(INTENT, {
    readSet: builder.build(),
    now: { modRevision: 900n, sha256: "s", bytes: 2000, format },
    movedTo,
    original: { modRevision: 100n, object: { apiVersion: "v1", kind: "Node", object } },
  });
}

test("one update without an edit, compared on what is there now", () => {
  const plan = planOver(broken());
  expect(plan.stages).toEqual([
    {
      name: "nodes",
      groups: [[{ action: "update", key: KEY, modRevision: 900n, sha256: "s", edits: [] }]],
    },
  ]);
  expect(plan.outline.nodes).toEqual([
    {
      name: "n1",
      key: KEY,
      uid: "uid-of-n1",
      before: ["unreadable"],
      after: ["10.112.0.0/24"],
      choices: ["bytes of 20261201-113000-7f3a9c"],
    },
  ]);
  expect(plan.nodeUids).toEqual(
    new Map([
      ["n2", "uid-of-n2"],
      ["n1", "uid-of-n1"],
    ]),
  );
});

describe("what the operator is told", () => {
  test("what is lost", () => {
    expect(planOver(broken()).findings).toEqual([
      {
        code: "lost",
        severity: "warning",
        acceptable: false,
        keys: [KEY],
        what: `whatever was written to ${KEY} after revision 100 is lost, up to revision 900`,
        why:
          "its value of today cannot be decoded (it ends too early); the journal of 20261201-113000-7f3a9c has the whole of " +
          "it as it was before that change, block included",
        next:
          "what the kubelet and the controllers keep there comes back by itself; labels, taints and annotations that people " +
          "have set since do not",
      },
    ]);
  });

  test("that it has the old block again, where the change stands", () => {
    const { outline } = changed();
    const plan = planOver(broken(), "protobuf", outline.families);
    expect(codes(plan)).toEqual(["warning lost", "warning left-alone"]);
    expect(plan.findings[1]).toMatchObject({
      what: "n1 has its block of before the change again, outside 10.212.0.0/16",
      next: "move it along: `etcdcidr change-pod-cidr 10.212.0.0/16 --node-cidr-mask-size 22 --node n1`; or roll the change back",
    });
  });

  test("who has its block by now", () => {
    const plan = planOver(broken().node("n3", "10.112.0.0/25"));
    expect(codes(plan)).toEqual(["warning lost", "warning duplicate-block"]);
    expect(plan.findings[1]?.what).toBe("n1 gets a block back of which n3 holds addresses by now");
  });
});

describe("refused", () => {
  test("a value that can be read", () => {
    expect(() => planOver(cluster().node("n1", "10.212.0.0/22"))).toThrow(
      expect.objectContaining({ code: "refused" }),
    );
  });

  test.each<Format>(["encrypted", "cbor"])("one that others may read: %s", (format) => {
    expect(() => planOver(broken(), format)).toThrow(expect.objectContaining({ code: "refused" }));
  });

  test("planning it again from the cluster alone", () => {
    expect(() => planIntent(INTENT, broken().build(), [])).toThrow(
      expect.objectContaining({
        code: "refused",
        explanation: expect.objectContaining({
          next: `run \`etcdcidr rollback 20261201-113000-7f3a9c --restore-unreadable ${KEY}\` once more`,
        }),
      }),
    );
  });
});

test("a value of no known format is as unreadable as a torn one", () => {
  expect(planOver(broken(), "unknown").outline.nodes).toHaveLength(1);
});

import { describe, expect, test } from "vitest";
import { standingBlockers } from "../../../src/plan/findings/pod-cidr-findings.js";
import type { Finding } from "../../../src/plan/plan.js";
import { cluster, NOW_MS } from "../../harness/read-set.js";
import { codes, findingsOf, planOver } from "../scene.js";

const scene = () => cluster().kcm({ "cluster-cidr": "10.112.0.0/16" }).node("n1", "10.112.0.0/24");

describe("unreadable", () => {
  test("a value that cannot be read", () => {
    const unreadable = [
      {
        key: "/registry/minions/n2",
        why: "the value of /registry/minions/n2 is malformed: byte 4: cut short",
      },
      { key: "/registry/configmaps/kube-system/kube-proxy", why: "encrypted" },
    ];
    expect(findingsOf(planOver(scene().with({ unreadable }), "10.212.0.0/16"), "unreadable")).toEqual([
      {
        code: "unreadable",
        severity: "blocker",
        acceptable: false,
        keys: ["/registry/minions/n2", "/registry/configmaps/kube-system/kube-proxy"],
        what: "2 values cannot be read: /registry/minions/n2, /registry/configmaps/kube-system/kube-proxy",
        why: "the value of /registry/minions/n2 is malformed: byte 4: cut short, encrypted",
        next: "put a journal's bytes back with `etcdcidr rollback --restore-unreadable <key>`, or the value from an etcd snapshot: one unreadable object stops every list of its kind",
      },
    ]);
  });

  test.each([
    ["podCIDR", { podCidr: "banana", podCidrs: ["10.112.0.0/24"] }, '"banana"'],
    ["podCIDRs", { podCidrs: ["10.112.0.0/24", "10.112.0.0/33"] }, '"10.112.0.0/33"'],
    ["an empty entry", { podCidrs: [""] }, '""'],
  ])("a %s that is no CIDR", (_title, spec, why) => {
    const builder = cluster().kcm({ "cluster-cidr": "10.112.0.0/16" }).node("n2", spec);
    expect(findingsOf(planOver(builder, "10.212.0.0/16"), "unreadable")).toEqual([
      {
        code: "unreadable",
        severity: "blocker",
        acceptable: false,
        keys: ["/registry/minions/n2"],
        what: "podCIDRs of n2 are no CIDRs",
        why,
        next: "find out what wrote them, and delete and re-create these Nodes",
      },
    ]);
  });

  test.each(["010.112.0.0/24", "10.112.0.7/24", "::ffff:10.112.0.0/120"])("%s can be read", (text) => {
    const builder = cluster().kcm({ "cluster-cidr": "10.112.0.0/16" }).node("n2", text);
    expect(codes(planOver(builder, "10.212.0.0/16", { nodeMaskSize: 24 }))).toEqual([]);
  });
});

describe("operator-owned", () => {
  test("an operator's object", () => {
    const key = "/registry/secrets/kube-system/d8-cluster-configuration";
    expect(
      findingsOf(planOver(scene().with({ ownerKeys: [key] }), "10.212.0.0/16"), "operator-owned"),
    ).toEqual([
      {
        code: "operator-owned",
        severity: "blocker",
        acceptable: true,
        keys: [key],
        what: "an operator owns this cluster's network",
        why: `${key} is its configuration: it sets the old range again, or reports itself degraded`,
        next: "change the range through the operator",
      },
    ]);
  });

  test("none without one", () => {
    expect(codes(planOver(scene(), "10.212.0.0/16"))).toEqual([]);
  });
});

describe("kcm-live", () => {
  const lease = (renewedAtMs: number) => ({
    componentLeases: [
      {
        key: "/registry/leases/kube-system/kube-controller-manager",
        holder: "kube-1_5f0c",
        renewTime: "2026-12-01T11:59:58.000000Z",
        durationSeconds: 15,
        renewedAtMs,
      },
    ],
  });

  test("its Lease, and what it will do", () => {
    expect(findingsOf(planOver(scene().with(lease(NOW_MS - 2000)), "10.212.0.0/16"), "kcm-live")).toEqual([
      {
        code: "kcm-live",
        severity: "warning",
        acceptable: false,
        keys: ["/registry/leases/kube-system/kube-controller-manager"],
        what: "kube-controller-manager is running, or was less than a minute ago (kube-1_5f0c, Lease renewed 2026-12-01T11:59:58.000000Z)",
        why:
          "until it is restarted it gives new Nodes blocks of the range it was started with (its flags say 10.112.0.0/16), " +
          "and it exits at its next start if a Node is outside its --cluster-cidr",
        next: "stop it before the change, and start it with the new flags afterwards",
      },
    ]);
  });

  test("without its flags nothing is said of them", () => {
    const plan = planOver(cluster().node("n1", "10.112.0.0/24").with(lease(NOW_MS)), "10.212.0.0/16");
    expect(findingsOf(plan, "kcm-live")).toMatchObject([
      {
        why:
          "until it is restarted it gives new Nodes blocks of the range it was started with, and it exits at its next " +
          "start if a Node is outside its --cluster-cidr",
      },
    ]);
  });

  test("a Lease that was not renewed for more than a minute is nobody's", () => {
    expect(codes(planOver(scene().with(lease(NOW_MS - 60_000)), "10.212.0.0/16"))).toEqual([
      "warning kcm-live",
    ]);
    expect(codes(planOver(scene().with(lease(NOW_MS - 60_001)), "10.212.0.0/16"))).toEqual([]);
  });

  test("a renewal time that cannot be read is taken for a live one", () => {
    expect(codes(planOver(scene().with(lease(Number.NaN)), "10.212.0.0/16"))).toEqual(["warning kcm-live"]);
  });
});

describe("which blockers stand", () => {
  const finding = (code: string, severity: Finding["severity"], acceptable: boolean): Finding => ({
    code,
    severity,
    acceptable,
    keys: [],
    what: "",
    why: "",
    next: "",
  });
  const findings = [
    finding("never", "blocker", false),
    finding("maybe", "blocker", true),
    finding("other", "blocker", true),
    finding("said", "warning", false),
  ];
  const standing = (...accept: string[]) => standingBlockers(findings, accept).map(({ code }) => code);

  test("those that are not accepted, and those that cannot be", () => {
    expect(standing()).toEqual(["never", "maybe", "other"]);
    expect(standing("maybe", "never", "said")).toEqual(["never", "other"]);
    expect(standing("maybe", "other")).toEqual(["never"]);
  });
});

describe("the order of findings", () => {
  test("blockers first", () => {
    const builder = cluster()
      .kcm({ "cluster-cidr": "10.112.0.0/16" })
      .node("n1", { podCidrs: ["10.112.0.0/24"], podCapacity: 500 })
      .node("n2")
      .with({ calico: { pools: [{ key: "p", cidr: "10.0.0.0/8" }], affinityKeys: [], usesPodCidr: false } });
    expect(codes(planOver(builder, "172.168.0.0/16"))).toEqual([
      "blocker not-private",
      "blocker node-block-too-small",
      "warning left-alone",
      "warning calico-pools",
    ]);
  });
});

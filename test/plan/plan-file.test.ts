import { describe, expect, test } from "vitest";
import { differencesFrom, formatPlanFile, parsePlanFile, toSavedPlan } from "../../src/plan/plan-file.js";
import { cluster } from "../harness/read-set.js";
import { planOver } from "./scene.js";

const builder = () =>
  cluster()
    .node("n1", "10.112.0.0/24")
    .node("n2", { podCidr: null, podCidrs: ["10.112.1.0/24"] })
    // A JSON parser puts such names first.
    .node("10", "10.112.2.0/24");
const plan = planOver(builder(), "10.212.0.0/16", { accept: ["not-private"], nodeMaskSize: 24 });
const text = formatPlanFile(plan);

const altered = (why: string) =>
  expect.objectContaining({
    code: "plan-altered",
    explanation: {
      what: "cannot use this plan file",
      why,
      now: "nothing was written",
      next: "make the plan again with --dry-run --out",
    },
  });

describe("a saved plan", () => {
  test("comes back: id, cluster, intent and edits", () => {
    expect(parsePlanFile(text)).toEqual(toSavedPlan(plan));
    expect(parsePlanFile(text)).toEqual({
      id: plan.id,
      cluster: plan.cluster,
      intent: plan.intent,
      updates: [
        {
          key: "/registry/minions/10",
          edits: [
            { path: "spec.podCIDR", old: "10.112.2.0/24", "new": "10.212.2.0/24" },
            { path: "spec.podCIDRs", old: ["10.112.2.0/24"], "new": ["10.212.2.0/24"] },
          ],
        },
        {
          key: "/registry/minions/n1",
          edits: [
            { path: "spec.podCIDR", old: "10.112.0.0/24", "new": "10.212.0.0/24" },
            { path: "spec.podCIDRs", old: ["10.112.0.0/24"], "new": ["10.212.0.0/24"] },
          ],
        },
        {
          key: "/registry/minions/n2",
          edits: [
            { path: "spec.podCIDR", "new": "10.212.1.0/24" },
            { path: "spec.podCIDRs", old: ["10.112.1.0/24"], "new": ["10.212.1.0/24"] },
          ],
        },
      ],
    });
  });

  test("holds the whole plan for a person or a program to read", () => {
    const file = JSON.parse(text);
    expect(file.format).toBe("etcdcidr plan, version 1");
    expect(file.plan).toMatchObject({
      id: plan.id,
      readAt: "1000",
      cluster: { etcdId: "15774495116503052211" },
      outline: { families: [{ blocks: "256" }] },
      nodeUids: { n1: "uid-of-n1" },
    });
  });

  test("may be laid out in another way", () => {
    expect(parsePlanFile(JSON.stringify(JSON.parse(text)))).toEqual(toSavedPlan(plan));
  });
});

describe("an altered file is refused", () => {
  test.each([
    ["an edit", "10.212.0.0/24", "10.212.9.0/24"],
    ["the intent", '"mapping": "index"', '"mapping": "compact"'],
    ["what is accepted", '"not-private"', '"overlaps-current-block"'],
    ["the cluster", "15774495116503052211", "15774495116503052212"],
    ["its checksum", '"sha256": "', '"sha256": "0'],
  ])("%s", (_title, from, to) => {
    expect(text).toContain(from);
    expect(() => parsePlanFile(text.replace(from, to))).toThrow(
      altered("its checksum does not match its content"),
    );
  });

  test("another format", () => {
    const why = altered('it does not say "etcdcidr plan, version 1"');
    expect(() => parsePlanFile(text.replace("version 1", "version 2"))).toThrow(why);
    expect(() => parsePlanFile("null")).toThrow(why);
    expect(() => parsePlanFile("[]")).toThrow(why);
    expect(() => parsePlanFile('"etcdcidr"')).toThrow(why);
  });

  test("no plan", () => {
    expect(() => parsePlanFile('{"format":"etcdcidr plan, version 1"}')).toThrow(
      altered("its checksum does not match its content"),
    );
  });

  test("no JSON", () => {
    expect(() => parsePlanFile(text.slice(0, -3))).toThrow(altered("it is not JSON"));
    expect(() => parsePlanFile("")).toThrow(altered("it is not JSON"));
  });
});

describe("differences from the plan made now", () => {
  const difference = (node: string, field: string, planned?: string, now?: string) => ({
    key: `/registry/minions/${node}`,
    path: `spec.${field}`,
    ...(planned === undefined ? {} : { planned }),
    ...(now === undefined ? {} : { now }),
  });

  test("none, though heartbeats have moved on and other things are accepted", () => {
    const now = planOver(builder(), "10.212.0.0/16", { nodeMaskSize: 24, nowMs: 5 });
    expect(differencesFrom(parsePlanFile(text), now)).toEqual([]);
  });

  test("a field each: another edit, none any more, and a new one", () => {
    const later = cluster()
      .node("n1", "10.112.0.0/24")
      .node("n3", "10.112.3.0/24")
      .node("10", "10.112.9.0/24");
    const now = planOver(later, "10.212.0.0/16");
    expect(differencesFrom(parsePlanFile(text), now)).toEqual([
      difference("10", "podCIDR", "10.112.2.0/24 -> 10.212.2.0/24", "10.112.9.0/24 -> 10.212.9.0/24"),
      difference("10", "podCIDRs", "10.112.2.0/24 -> 10.212.2.0/24", "10.112.9.0/24 -> 10.212.9.0/24"),
      difference("n2", "podCIDR", "(none) -> 10.212.1.0/24"),
      difference("n2", "podCIDRs", "10.112.1.0/24 -> 10.212.1.0/24"),
      difference("n3", "podCIDR", undefined, "10.112.3.0/24 -> 10.212.3.0/24"),
      difference("n3", "podCIDRs", undefined, "10.112.3.0/24 -> 10.212.3.0/24"),
    ]);
  });
});

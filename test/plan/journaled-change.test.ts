import { describe, expect, test } from "vitest";
import type { JournalRecord } from "../../src/plan/journal-record.js";
import { foldJournal, planOf, withKeys } from "../../src/plan/journaled-change.js";
import { cluster } from "../harness/read-set.js";
import { type JournalOptions, planOver, recordsOf } from "./scene.js";

const plan = planOver(
  cluster().node("n1", "10.112.0.0/24").node("n2", "10.112.1.0/24").node("n3", "10.212.9.0/24"),
  "10.212.0.0/16",
);
const KEY1 = "/registry/minions/n1";
const KEY2 = "/registry/minions/n2";
const fold = (options: JournalOptions, ...more: JournalRecord[]) =>
  foldJournal([...recordsOf(plan, options), ...more]);
const RESUMED: JournalRecord = { type: "resumed", atMs: 1, host: "kube-1", user: "root" };

describe("the state of a change", () => {
  const rows: [string, JournalOptions, JournalRecord[], string][] = [
    ["all committed", {}, [], "done"],
    ["all committed, killed before its end", { end: null }, [], "done"],
    ["all committed, not as it should be", { end: "not-verified" }, [], "not-verified"],
    ["some committed, stopped", { written: ["n1"], end: "part-applied" }, [], "part-applied"],
    ["some committed, interrupted", { written: ["n1"], end: "part-applied" }, [], "part-applied"],
    ["some committed, killed", { written: ["n1"], end: null }, [], "part-applied"],
    ["some without an answer", { written: ["n1"], doubtful: ["n2"], end: "in-doubt" }, [], "in-doubt"],
    ["some without an answer, killed", { written: ["n1"], doubtful: ["n2"], end: null }, [], "in-doubt"],
    [
      "sent and settled as not written",
      { written: [], doubtful: ["n1"], end: "part-applied" },
      [],
      "not-written",
    ],
    ["nothing sent", { written: [], end: "not-written" }, [], "not-written"],
    ["nothing sent, killed", { written: [], end: null }, [], "not-written"],
    [
      "one committed, one dropped",
      { written: ["n1"] },
      [{ type: "dropped", key: KEY2, reason: "deleted" }],
      "done",
    ],
    [
      "all dropped",
      { written: [] },
      [
        { type: "dropped", key: KEY1, reason: "deleted" },
        { type: "dropped", key: KEY2, reason: "re-created" },
      ],
      "done",
    ],
    ["gone on with after it was not verified", { end: "not-verified" }, [RESUMED], "done"],
    [
      "gone on with after it was stopped, and killed with one in doubt",
      { written: ["n1"], doubtful: ["n2"], end: "part-applied" },
      [RESUMED],
      "in-doubt",
    ],
    [
      "settled by reading when it was gone on with",
      { written: ["n1"], doubtful: ["n2"], end: "in-doubt" },
      [RESUMED, { type: "committed", revision: 2000n, keys: [KEY2] }],
      "done",
    ],
  ];

  test.each(rows)("%s", (_title, options, more, state) => {
    expect(fold(options, ...more).state).toBe(state);
  });
});

describe("what the journal tells of a key", () => {
  test("everything but its bytes", () => {
    expect(fold({ written: ["n1"], doubtful: ["n2"], end: "in-doubt" }).keys).toEqual(
      new Map([
        [
          KEY1,
          {
            key: KEY1,
            outline: plan.outline.nodes[0],
            modRevision: 100n,
            sha256: "sha256-of-n1",
            edits: [
              { path: "spec.podCIDR", old: "10.112.0.0/24", new: "10.212.0.0/24" },
              { path: "spec.podCIDRs", old: ["10.112.0.0/24"], new: ["10.212.0.0/24"] },
            ],
            sent: { key: KEY1, modRevision: 100n, sha256: "sent" },
            committedAt: 1001n,
          },
        ],
        [
          KEY2,
          {
            key: KEY2,
            outline: plan.outline.nodes[1],
            modRevision: 100n,
            sha256: "sha256-of-n2",
            edits: [
              { path: "spec.podCIDR", old: "10.112.1.0/24", new: "10.212.1.0/24" },
              { path: "spec.podCIDRs", old: ["10.112.1.0/24"], new: ["10.212.1.0/24"] },
            ],
            sent: { key: KEY2, modRevision: 100n, sha256: "sent" },
          },
        ],
      ]),
    );
  });

  test("what was sent last counts", () => {
    const again: JournalRecord = {
      type: "intent",
      txn: 2,
      keys: [{ key: KEY1, modRevision: 170n, sha256: "again" }],
    };
    expect(fold({}, again).keys.get(KEY1)?.sent).toEqual({ key: KEY1, modRevision: 170n, sha256: "again" });
  });

  test("keys that no original speaks of are left out", () => {
    const { keys } = fold({}, { type: "dropped", key: "/registry/minions/other", reason: "deleted" });
    expect([...keys.keys()]).toEqual([KEY1, KEY2]);
  });
});

describe("a journal", () => {
  test("without its first record is damaged", () => {
    expect(() => foldJournal([{ type: "ready", originals: 0 }])).toThrow(
      expect.objectContaining({
        code: "journal-damaged",
        explanation: {
          what: "cannot read this journal",
          why: "it has no first record; the run that made it ended before it was written",
          now: "that run wrote nothing to etcd",
          next: "remove its directory",
        },
      }),
    );
  });

  test("is ready once all originals are on disk", () => {
    const records = recordsOf(plan, { written: [], end: null });
    expect(foldJournal(records).ready).toBe(true);
    expect(foldJournal(records.slice(0, 2)).ready).toBe(false);
  });

  test("knows how the run ended, unless it was gone on with", () => {
    expect(fold({ end: "part-applied" }).end).toMatchObject({ state: "part-applied" });
    expect(fold({ end: "part-applied" }, RESUMED).end).toBeUndefined();
  });
});

describe("the plan of a journal", () => {
  test("is that plan, its changes those that are not settled, without findings", () => {
    const change = fold({ written: ["n1"], end: "part-applied" });
    const again = planOf(change);
    expect(again).toEqual({
      ...plan,
      findings: [],
      stages: [{ name: "nodes", groups: [[plan.stages[0]?.groups[1]?.[0]]] }],
    });
  });

  test("has all of them while nothing is settled, none where all are", () => {
    expect(planOf(fold({ written: [], end: null })).stages).toEqual(plan.stages);
    expect(planOf(fold({})).stages[0]?.groups).toEqual([]);
  });
});

describe("keys that were settled by reading", () => {
  test("change the state", () => {
    const change = fold({ written: ["n1"], doubtful: ["n2"], end: null });
    const key = change.keys.get(KEY2);
    const settled = withKeys(change, new Map(key && [[KEY2, { ...key, committedAt: 1500n }]]));
    expect([change.state, settled.state]).toEqual(["in-doubt", "done"]);
    expect(settled.keys.get(KEY1)).toEqual(change.keys.get(KEY1));
  });
});

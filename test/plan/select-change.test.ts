import { describe, expect, test } from "vitest";
import { planChangePodCidr } from "../../src/plan/change-pod-cidr.js";
import type { ChangeRecord } from "../../src/plan/change-record.js";
import type { JournaledChange } from "../../src/plan/journaled-change.js";
import { newerRecords } from "../../src/plan/newer-records.js";
import type { Plan } from "../../src/plan/plan.js";
import type { ReadSet } from "../../src/plan/read-set.js";
import {
  rollbacksByUndone,
  selectChange,
  selectUnfinished,
  standingChanges,
  unfinishedChanges,
} from "../../src/plan/select-change.js";
import { cluster } from "../harness/read-set.js";
import { applied, changeIntent, type JournalOptions, journaled, rollbackOver } from "./scene.js";

/** A cluster on which changes are made one after the other, and their journals. */
function scene() {
  let now: ReadSet = cluster().node("n1", "10.1.0.0/24").node("n2", "10.1.1.0/24").build();
  const history: JournaledChange[] = [];
  const carryOut = (plan: Plan, options: JournalOptions) => {
    now = applied(now, plan);
    history.push(journaled(plan, options));
  };
  return {
    history,
    change(changeId: string, cidrs: string, nodes: readonly string[] = [], journal: JournalOptions = {}) {
      carryOut(planChangePodCidr(changeIntent(cidrs, { nodes, nodeMaskSize: 24 }), now), {
        changeId,
        ...journal,
      });
    },
    rollback(changeId: string, of: string, journal: JournalOptions = {}) {
      const undone = history.find(({ begin }) => begin.changeId === of);
      const plan = undone === undefined ? undefined : rollbackOver(now, undone);
      expect(plan?.outline.nodes).not.toEqual([]);
      carryOut(plan as Plan, { changeId, ...journal });
    },
  };
}

const idOf = (change: JournaledChange | undefined) => change?.begin.changeId;
const ids = (changes: readonly JournaledChange[]) => changes.map(({ begin }) => begin.changeId);
const errorOf = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe("without an id", () => {
  test("there is none in an empty history", () => {
    expect(selectChange([], undefined)).toBeUndefined();
  });

  test("the newest", () => {
    const { history, change } = scene();
    change("a", "10.2.0.0/16");
    change("b", "10.3.0.0/16");
    expect(idOf(selectChange(history, undefined))).toBe("b");
  });

  test("that wrote something", () => {
    const { history, change } = scene();
    change("a", "10.2.0.0/16");
    change("b", "10.3.0.0/16", [], { written: [], end: "not-written" });
    expect(idOf(selectChange(history, undefined))).toBe("a");
  });

  test("that is neither undone nor itself a rollback", () => {
    const { history, change, rollback } = scene();
    change("a", "10.2.0.0/16");
    change("b", "10.3.0.0/16");
    rollback("c", "b");
    expect(idOf(selectChange(history, undefined))).toBe("a");
    rollback("d", "a");
    expect(selectChange(history, undefined)).toBeUndefined();
  });

  test("one written in part, or in doubt, is one that wrote something", () => {
    const { history, change } = scene();
    change("a", "10.2.0.0/16");
    change("b", "10.3.0.0/16", [], { written: ["n1"], end: "part-applied" });
    expect(idOf(selectChange(history, undefined))).toBe("b");
    change("c", "10.4.0.0/16", [], { written: [], doubtful: ["n1", "n2"], end: "in-doubt" });
    expect(idOf(selectChange(history, undefined))).toBe("c");
  });

  test("after a rollback that did not come to its end, the change still stands, and can be rolled back again", () => {
    const { history, change, rollback } = scene();
    change("a", "10.2.0.0/16");
    rollback("b", "a", { written: ["n1"], end: "part-applied" });
    expect(ids(standingChanges(history))).toEqual(["a", "b"]);
    expect(idOf(selectChange(history, undefined))).toBe("a");
  });

  test("a rollback that could not be verified has come to its end", () => {
    const { history, change, rollback } = scene();
    change("a", "10.2.0.0/16");
    rollback("b", "a", { end: "not-verified" });
    expect(selectChange(history, undefined)).toBeUndefined();
  });
});

describe("with an id", () => {
  test("that one", () => {
    const { history, change } = scene();
    change("a", "10.2.0.0/16", ["n1"]);
    change("b", "10.3.0.0/16", ["n2"]);
    expect(idOf(selectChange(history, "a"))).toBe("a");
  });

  test("a rollback is undone when it is named", () => {
    const { history, change, rollback } = scene();
    change("a", "10.2.0.0/16");
    rollback("b", "a");
    expect(idOf(selectChange(history, "b"))).toBe("b");
    rollback("c", "b");
    expect(ids(standingChanges(history))).toEqual(["a", "c"]);
  });

  test("an unknown one is an error", () => {
    const { history, change } = scene();
    change("b", "10.2.0.0/16");
    expect(errorOf(() => selectChange(history, "a"))).toMatchObject({
      code: "not-found",
      explanation: {
        what: "cannot roll back a",
        why: "there is no journal of that name",
        now: "nothing was written",
        next: "`etcdcidr changes` lists what can be rolled back",
      },
    });
  });

  test("so is one that is undone, or wrote nothing", () => {
    const { history, change, rollback } = scene();
    change("a", "10.2.0.0/16");
    rollback("b", "a");
    change("c", "10.3.0.0/16", [], { written: [], end: "not-written" });
    const why = { code: "not-found", explanation: { why: "it wrote nothing, or is undone already" } };
    expect(errorOf(() => selectChange(history, "a"))).toMatchObject(why);
    expect(errorOf(() => selectChange(history, "c"))).toMatchObject(why);
  });
});

describe("a later change over the same fields", () => {
  test("has to be rolled back first", () => {
    const { history, change } = scene();
    change("a", "10.2.0.0/16");
    change("b", "10.3.0.0/16", ["n1"]);
    change("c", "10.4.0.0/16", ["n2"]);
    expect(errorOf(() => selectChange(history, "a"))).toMatchObject({
      code: "blocked",
      explanation: {
        what: "cannot roll back a",
        why: "c changed the same Nodes later and stands",
        now: "nothing was written",
        next: "run `etcdcidr rollback c` first",
      },
    });
  });

  test("is no matter once it is undone, or over other Nodes, or never written", () => {
    const { history, change, rollback } = scene();
    change("a", "10.2.0.0/16", ["n1"]);
    change("b", "10.3.0.0/16", ["n2"]);
    change("c", "10.4.0.0/16", ["n1"]);
    rollback("d", "c");
    change("e", "10.5.0.0/16", ["n1"], { written: [], end: "not-written" });
    expect(idOf(selectChange(history, "a"))).toBe("a");
  });

  test("on keys that this one planned and never sent is no matter", () => {
    const { history, change } = scene();
    change("a", "10.2.0.0/16", [], { written: ["n1"], end: "part-applied" });
    change("b", "10.3.0.0/16", ["n2"]);
    expect(idOf(selectChange(history, "a"))).toBe("a");
  });

  test("and the rollback that undid it cancel out", () => {
    const { history, change, rollback } = scene();
    change("a", "10.2.0.0/16");
    rollback("b", "a");
    rollback("c", "b");
    // The Nodes are what "a" has made of them once more.
    expect(idOf(selectChange(history, undefined))).toBe("a");
    rollback("d", "a");
    expect(selectChange(history, undefined)).toBeUndefined();
  });

  test("that another host has completed is undone there; one that it has undone is no matter", () => {
    const { history, change } = scene();
    change("a", "10.2.0.0/16");
    change("b", "10.3.0.0/16", [], { written: ["n1"], end: null });
    const record: ChangeRecord = {
      id: "b",
      operation: "change-pod-cidr",
      host: "kube-2",
      user: "ann",
      journal: "/var/lib/etcdcidr/b",
      atMs: 0,
      state: "done",
    };
    const select = (rest: Partial<ChangeRecord>) => () =>
      selectChange(history, "a", newerRecords(history, [{ ...record, ...rest }]));
    expect(errorOf(select({}))).toMatchObject({
      explanation: {
        next: "it was gone on with on kube-2 and is done: run `etcdcidr rollback b` there first (its journal is /var/lib/etcdcidr/b)",
      },
    });
    expect(idOf(select({ undoneBy: "c" })())).toBe("a");
    expect(errorOf(select({ state: "running", host: "kube-1" }))).toMatchObject({
      explanation: {
        next: "it is half done: `etcdcidr resume b` goes on with it, `etcdcidr rollback b` undoes it",
      },
    });
  });

  test("and a rollback of it that did not come to its end do not", () => {
    const { history, change, rollback } = scene();
    change("a", "10.2.0.0/16");
    change("b", "10.3.0.0/16");
    rollback("c", "b", { written: ["n1"], end: "part-applied" });
    expect(errorOf(() => selectChange(history, "a"))).toMatchObject({
      explanation: { why: "c changed the same Nodes later and stands" },
    });
  });

  test("is a rollback of an earlier change, too", () => {
    const { history, change, rollback } = scene();
    change("a", "10.2.0.0/16", ["n1"]);
    change("b", "10.3.0.0/16", ["n2"]);
    rollback("c", "a");
    const keys = new Map([...(history[2]?.keys ?? []), ...(history[1]?.keys ?? [])]);
    const [first, second, third] = history as [JournaledChange, JournaledChange, JournaledChange];
    // As if n2 had joined after "a" had been made: rolling that back has moved it, too.
    expect(errorOf(() => selectChange([first, second, { ...third, keys }], "b"))).toMatchObject({
      explanation: { next: "run `etcdcidr rollback c` first" },
    });
  });

  test.each([
    { etcdId: 1n, kubeSystemUid: "b1a7f0d2-0000-4000-8000-000000000001" },
    { etcdId: 0xdaea43bb4a4c6fb3n, kubeSystemUid: "another" },
  ])("on another cluster is no matter: keys are called alike (%o)", (identity) => {
    const { history, change } = scene();
    change("a", "10.2.0.0/16");
    change("b", "10.3.0.0/16");
    const [first, second] = history as [JournaledChange, JournaledChange];
    const elsewhere = {
      ...second,
      begin: { ...second.begin, plan: { ...second.begin.plan, cluster: identity } },
    };
    expect(idOf(selectChange([first, elsewhere], "a"))).toBe("a");
  });
});

describe("what is half done", () => {
  test("is written in part or in doubt, and stands", () => {
    const { history, change } = scene();
    change("a", "10.2.0.0/16");
    change("b", "10.3.0.0/16", [], { written: ["n1"], end: "part-applied" });
    change("c", "10.4.0.0/16", [], { written: [], doubtful: ["n2"], end: null });
    expect(ids(unfinishedChanges(history))).toEqual(["b", "c"]);
    expect(idOf(selectUnfinished(history, undefined))).toBe("c");
    expect(idOf(selectUnfinished(history, "b"))).toBe("b");
  });

  test("else what was confirmed, was killed before it wrote anything, and is not closed", () => {
    const { history, change } = scene();
    change("a", "10.2.0.0/16", [], { written: [], end: null });
    change("b", "10.3.0.0/16", [], { written: [], end: "not-written" });
    expect(idOf(selectUnfinished(history, undefined))).toBe("a");
    expect(selectUnfinished(history.slice(1), undefined)).toBeUndefined();
  });

  test("but not what was given up: another change has been made since", () => {
    const { history, change, rollback } = scene();
    change("a", "10.2.0.0/16", [], { written: [], end: null });
    change("b", "10.3.0.0/16");
    rollback("c", "b");
    expect(selectUnfinished(history, undefined)).toBeUndefined();
    expect(idOf(selectUnfinished(history, "a"))).toBe("a");
    change("d", "10.4.0.0/16", [], { written: [], end: null });
    expect(idOf(selectUnfinished(history, undefined))).toBe("d");
  });

  test("is no complete one, though it is named", () => {
    const { history, change } = scene();
    change("a", "10.2.0.0/16");
    expect(selectUnfinished(history, "a")).toBeUndefined();
  });

  test("is an error where the name is unknown", () => {
    expect(errorOf(() => selectUnfinished([], "z"))).toMatchObject({
      code: "not-found",
      explanation: {
        what: "cannot go on with z",
        why: "there is no journal of that name",
        now: "nothing was written",
        next: "`etcdcidr changes` lists the changes and their states",
      },
    });
  });
});

describe("what is undone, and by which rollback", () => {
  test("rollbacks of rollbacks count", () => {
    const { history, change, rollback } = scene();
    change("a", "10.2.0.0/16");
    rollback("b", "a");
    expect([...rollbacksByUndone(history)]).toEqual([["a", "b"]]);
    rollback("c", "b");
    expect([...rollbacksByUndone(history)]).toEqual([["b", "c"]]);
  });
});

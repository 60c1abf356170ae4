import { describe, expect, test } from "vitest";
import type { Clock, MembershipAnswer } from "../../src/ports.js";
import type { MemberStep } from "../../src/reconcile/member/step.js";
import { readdMember } from "../../src/run/readd-member.js";
import { CLUSTER, member } from "../reconcile/cluster-scene.js";
import { entryIn, observe, pass, take, type World } from "../reconcile/member-model.js";
import { WANTED } from "../reconcile/member-scene.js";

/** kube-3 is listed, and its data are of a member that was removed. */
function lostMember(): World {
  return {
    wanted: { ...WANTED, controlsProcess: false },
    members: [member(1), member(2), member(3)],
    live: new Set([1n, 2n]),
    data: { kind: "wal", memberId: 0xa1dn, clusterId: CLUSTER },
    process: "stopped",
    appliedIndex: 10n,
    startedId: undefined,
    rendered: undefined,
    recycles: 0,
    nextId: 100n,
  };
}

interface Walk {
  /** What comes of a step, and whether it is done all the same. */
  readonly answer?: (step: MemberStep, time: number) => { answer: MembershipAnswer; isDone: boolean };
  readonly operatorStarts?: boolean;
  readonly isInterrupted?: () => boolean;
}

const DONE = { answer: { kind: "done" }, isDone: true } as const;

/** The steps that a run takes on a clock of its own. */
async function walk({ answer = () => DONE, operatorStarts = true, isInterrupted = () => false }: Walk) {
  const world = lostMember();
  const steps: string[] = [];
  let nowMs = 0;
  let isAsked = false;
  const clock: Clock = {
    now: () => nowMs,
    sleep: async (ms) => {
      nowMs += ms;
      if (operatorStarts && isAsked) pass(world);
    },
    every: () => () => undefined,
  };
  const perform = async (step: MemberStep): Promise<MembershipAnswer> => {
    const { answer: given, isDone } = answer(step, steps.filter((kind) => kind === step.kind).length);
    steps.push(step.kind);
    if (isDone) take(world, step);
    return given;
  };
  const end = await readdMember({
    ...{ wanted: world.wanted, accepted: [], observe: async () => observe(world), perform, clock },
    ...{ patienceMs: 60_000, isInterrupted },
    tell: async (event) => {
      isAsked = event.kind === "state" && event.decision.next.kind === "wait";
    },
  }).then(
    () => "done",
    (error: unknown) => error,
  );
  return { world, steps, end, nowMs };
}

const LOST: MembershipAnswer = { kind: "not-done", why: "no answer within 10s" };

test("the whole way", async () => {
  const { world, steps, end } = await walk({});
  expect(end).toBe("done");
  expect(steps).toEqual(["remove", "archive", "add", "promote"]);
  expect(entryIn(world)).toMatchObject({ name: "kube-3", isLearner: false });
});

describe("an answer that is lost", () => {
  test.each(["remove", "add", "promote"])("of a %s that was done: it is not repeated", async (kind) => {
    const { steps, end } = await walk({
      answer: (step) => (step.kind === kind ? { answer: LOST, isDone: true } : DONE),
    });
    expect(end).toBe("done");
    expect(steps).toEqual(["remove", "archive", "add", "promote"]);
  });

  test.each(["remove", "add", "promote"])("of a %s that was not done: it is repeated", async (kind) => {
    const { steps, end } = await walk({
      answer: (step, time) => (step.kind === kind && time < 3 ? { answer: LOST, isDone: false } : DONE),
    });
    expect(end).toBe("done");
    expect(steps.filter((each) => each === kind)).toHaveLength(4);
  });

  test("for ever: the run ends and says what is true", async () => {
    const { steps, end, nowMs } = await walk({
      answer: (step) => (step.kind === "add" ? { answer: LOST, isDone: false } : DONE),
    });
    expect(end).toMatchObject({
      code: "stopped",
      explanation: { what: "the member is not back after 12s", why: "no answer within 10s" },
    });
    expect(steps.slice(0, 2)).toEqual(["remove", "archive"]);
    expect(nowMs).toBeLessThan(20_000);
  });
});

test("an operator who does not start etcd is waited for as long as was said", async () => {
  const { end, nowMs } = await walk({ operatorStarts: false });
  expect(end).toMatchObject({
    code: "stopped",
    explanation: { why: "it is waited until etcd is started on this host with the four lines" },
  });
  expect(nowMs).toBeGreaterThan(60_000);
});

test("an interrupt ends the run after the step that is under way", async () => {
  let looks = 0;
  const { steps, end } = await walk({ isInterrupted: () => ++looks > 2 });
  expect(steps).toEqual(["remove", "archive"]);
  expect(end).toMatchObject({
    code: "interrupted",
    explanation: { now: "2 steps taken, and the rest is not" },
  });
});

import fc from "fast-check";
import { expect, test } from "vitest";
import type { ListedMember } from "../../src/reconcile/cluster-state.js";
import { nextMemberStep } from "../../src/reconcile/etcd-member.js";
import type { DataDirectory } from "../../src/reconcile/member/observed.js";
import { ACCEPTABLE_REFUSALS } from "../../src/reconcile/member/refusal.js";
import type { MemberStep } from "../../src/reconcile/member/step.js";
import { CLUSTER, member } from "./cluster-scene.js";
import { entryIn, forget, observe, pass, quorumIn, take, type World } from "./member-model.js";
import { WANTED } from "./member-scene.js";

const OLD_ID = 0xa1dn;

const data = (ids: readonly bigint[]): fc.Arbitrary<DataDirectory> =>
  fc.oneof(
    fc.constant<DataDirectory>({ kind: "empty" }),
    fc.record({
      kind: fc.constant("wal" as const),
      memberId: fc.constantFrom(...ids),
      clusterId: fc.constantFrom(CLUSTER, CLUSTER, 0xc2n),
    }),
    fc.record({
      kind: fc.constant("odd" as const),
      oddity: fc.constantFrom("no-wal" as const, "symlink" as const, "unreadable" as const),
      why: fc.constant("it is odd"),
    }),
  );

/** Ids 1 and 2, and 4 to 8, are others; 3 is the one that returns. */
const others: fc.Arbitrary<{ member: ListedMember; live: boolean }[]> = fc
  .subarray([1, 2, 4, 5, 6, 7, 8], { minLength: 1 })
  .chain((ids) =>
    fc.tuple(
      ...ids.map((n) =>
        fc.record({
          member: fc.oneof(
            { weight: 20, arbitrary: fc.constant(member(n)) },
            { weight: 1, arbitrary: fc.constant(member(n, { isLearner: true })) },
            { weight: 1, arbitrary: fc.constant(member(n, { name: "", clientUrls: [], isLearner: true })) },
          ),
          live: fc.oneof(
            { weight: 6, arbitrary: fc.constant(true) },
            { weight: 1, arbitrary: fc.constant(false) },
          ),
        }),
      ),
    ),
  );

const own: fc.Arbitrary<ListedMember | undefined> = fc.constantFrom(
  undefined,
  member(3),
  member(3, { isLearner: true }),
  member(3, { name: "", clientUrls: [], isLearner: true }),
  member(3, { name: "", clientUrls: [] }),
  member(9, { name: "kube-3" }),
  member(3, { name: "kube-9" }),
);

const world: fc.Arbitrary<World> = fc
  .record({
    others,
    own,
    data: data([3n, OLD_ID]),
    process: fc.constantFrom("stopped" as const, "wrong" as const, "joined" as const),
    controlsProcess: fc.boolean(),
    appliedIndex: fc.constantFrom(10n, 5000n),
    rendered: fc.constantFrom(undefined, 3n),
    ownIsLive: fc.boolean(),
  })
  .map(({ others: rest, own: entry, controlsProcess, process, ownIsLive, ...more }) => {
    const isJoined = process === "joined" && entry?.name === "kube-3" && more.data.kind === "wal";
    const elsewhere = ownIsLive && entry !== undefined && entry.name !== "" && !isJoined ? [entry.id] : [];
    return {
      ...more,
      wanted: { ...WANTED, controlsProcess },
      members: [...rest.map((each) => each.member), ...(entry === undefined ? [] : [entry])],
      live: new Set([
        ...rest.filter((each) => each.live && each.member.name !== "").map((each) => each.member.id),
        ...elsewhere,
      ]),
      process: process === "joined" && !isJoined ? "wrong" : process,
      startedId: undefined,
      recycles: 0,
      nextId: 100n,
    };
  });

/** What becomes of a step: it is done, its answer is lost on either side of being done, or the run is killed. */
const fates = fc.array(fc.constantFrom("done", "done", "done", "not done", "killed before", "killed after"), {
  maxLength: 30,
});

const accepted = fc.subarray([...ACCEPTABLE_REFUSALS]);

const MOST_STEPS = 60;

function follow(start: World, fate: readonly string[], codes: readonly string[]): string {
  const quorumAtStart = quorumIn(start).spare >= 0;
  for (let count = 0; count < MOST_STEPS; count++) {
    const { next } = nextMemberStep(observe(start), start.wanted, codes);
    if (next.kind === "done" || next.kind === "refuse") return next.kind;
    if (next.kind === "wait") pass(start);
    else meet(start, next.step, fate[count] ?? "done");
    expect(quorumAtStart && quorumIn(start).spare < 0).toBe(false);
  }
  return "without end";
}

function meet(start: World, step: MemberStep, fate: string): void {
  if (fate === "killed before") forget(start);
  if (fate === "not done" || fate === "killed before") return;
  if (step.kind === "remove" && start.rendered === step.member.id) start.recycles += 1;
  take(start, step);
  if (fate === "killed after") forget(start);
}

export function memberProperties(numRuns: number): void {
  test(`from any of ${numRuns} observed inputs the steps end in done or a refusal, and the quorum is kept`, () => {
    const ends = new Map<string, number>();
    fc.assert(
      fc.property(world, fates, accepted, (given, fate, codes) => {
        const start = structuredClone(given);
        const end = follow(start, fate, codes);
        ends.set(end, (ends.get(end) ?? 0) + 1);
        expect(["done", "refuse"]).toContain(end);
        const entry = entryIn(start);
        const isBack = entry?.isLearner === false && entry.name !== "";
        expect(end === "done" ? isBack : true).toBe(true);
      }),
      { numRuns, seed: 20_261_201 },
    );
    // A property that nearly always refuses would show nothing.
    expect((ends.get("done") ?? 0) / numRuns).toBeGreaterThan(0.1);
  });
}

import { EtcdcidrError } from "../errors.js";
import type { Clock, MembershipAnswer } from "../ports.js";
import { nextMemberStep } from "../reconcile/etcd-member.js";
import type { MemberDecision, MemberState } from "../reconcile/member/decision.js";
import type { MemberObservation, WantedMember } from "../reconcile/member/observed.js";
import type { MemberStep } from "../reconcile/member/step.js";
import { observeSettled, SETTLING_MS } from "./observe-settled.js";

/** What a run is told of; a record of it is written before it goes on. */
export type ReaddEvent =
  | { readonly kind: "state"; readonly decision: MemberDecision; readonly observed: MemberObservation }
  | { readonly kind: "doing"; readonly state: MemberState; readonly step: MemberStep }
  | { readonly kind: "done"; readonly step: MemberStep }
  | { readonly kind: "not-done"; readonly step: MemberStep; readonly why: string };

export interface ReaddRequest {
  readonly wanted: WantedMember;
  readonly accepted: readonly string[];
  readonly observe: () => Promise<MemberObservation>;
  readonly perform: (step: MemberStep, observed: MemberObservation) => Promise<MembershipAnswer>;
  readonly tell: (event: ReaddEvent) => Promise<void>;
  readonly clock: Clock;
  /** How long is waited for the operator, for a start, and for a learner to catch up, in milliseconds. */
  readonly patienceMs: number;
  readonly isInterrupted: () => boolean;
}

const BETWEEN_LOOKS_MS = 500;
const BETWEEN_TRIES_MS = 2000;

/**
 * Looks, decides, does one step, and looks again, until the member is back. Whatever came of a step, the next look tells: nothing
 * is repeated that has had its effect. Throws the decision's refusal, `stopped` when patience ends, or `interrupted`.
 */
export async function readdMember(request: ReaddRequest): Promise<MemberObservation> {
  const { wanted, accepted, observe, tell, clock } = request;
  const run: Run = { ...request, waits: createWaits(clock), steps: 0 };
  for (;;) {
    if (request.isInterrupted()) throw interrupted(run.steps);
    const observed = await observeSettled(observe, clock);
    const decision = nextMemberStep(observed, wanted, accepted);
    await tell({ kind: "state", decision, observed });
    const { next, state } = decision;
    if (next.kind === "done") return observed;
    if (next.kind === "refuse") passOrThrow(run, state, next.error);
    if (next.kind === "wait") run.waits.check(next.until, run.patienceMs, `it is waited until ${next.until}`);
    const isDone = next.kind === "step" && (await take(run, state, next.step, observed));
    if (!isDone) await clock.sleep(next.kind === "step" ? BETWEEN_TRIES_MS : BETWEEN_LOOKS_MS);
  }
}

interface Run extends ReaddRequest {
  readonly waits: ReturnType<typeof createWaits>;
  steps: number;
}

/** A member that was just started or promoted may fail to answer for a moment. */
function passOrThrow({ waits, steps }: Run, state: MemberState, error: EtcdcidrError): void {
  if (state !== "X0" || steps === 0) throw afterSteps(error, steps);
  waits.check("a leader is elected", SETTLING_MS, error.explanation.why);
}

async function take(
  run: Run,
  state: MemberState,
  step: MemberStep,
  observed: MemberObservation,
): Promise<boolean> {
  await run.tell({ kind: "doing", state, step });
  const answer = await run.perform(step, observed);
  run.steps += 1;
  if (answer.kind === "done") {
    await run.tell({ kind: "done", step });
    return true;
  }
  await run.tell({ kind: "not-done", step, why: answer.why });
  run.waits.check(step.kind, step.kind === "promote" ? run.patienceMs : SETTLING_MS, answer.why);
  return false;
}

/** Time runs while the same thing is waited for. */
function createWaits(clock: Clock) {
  let what: string | undefined;
  let since = 0;
  return {
    check(thing: string, patienceMs: number, why: string): void {
      if (what !== thing) since = clock.now();
      what = thing;
      if (clock.now() - since > patienceMs) throw tooLong(why, patienceMs);
    },
  };
}

function tooLong(why: string, patienceMs: number): EtcdcidrError {
  return new EtcdcidrError("stopped", {
    what: `the member is not back after ${patienceMs / 1000}s`,
    why,
    now: "what is done so far stays; `etcdcidr members` shows it",
    next: "look at etcd's log on this host, then run the command again: it goes on from there",
  });
}

/** A refusal before the first step has changed nothing; one after it comes from what happened meanwhile. */
function afterSteps(error: EtcdcidrError, steps: number): EtcdcidrError {
  if (steps === 0) return error;
  const now = `${steps} step${steps === 1 ? "" : "s"} taken, and the rest is not; \`etcdcidr members\` shows it`;
  return new EtcdcidrError("stopped", { ...error.explanation, now }, { cause: error });
}

function interrupted(steps: number): EtcdcidrError {
  return new EtcdcidrError("interrupted", {
    what: "the run was interrupted",
    why: "a signal asked for the end",
    now:
      steps === 0
        ? "nothing was changed"
        : `${steps} step${steps === 1 ? "" : "s"} taken, and the rest is not`,
    next: "run the command again: it goes on from there",
  });
}

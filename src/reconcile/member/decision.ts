import type { Next } from "../next.js";
import { type MemberRefusal, refusalError } from "./refusal.js";
import type { MemberStep } from "./step.js";

/** Where a member that returns can be; the names are those of the transcripts and of the output. */
export const MEMBER_STATES = {
  X0: "no quorum",
  X1: "ambiguous",
  X2: "foreign data",
  S1: "absent, no data",
  S2: "wrong process running",
  S3: "absent, old data",
  S4: "added, not started",
  S5: "added, old data",
  S6: "listed, data lost",
  S7: "down, data kept",
  S8: "learner running",
  S8a: "starting",
  S9: "voter running",
} as const;

export type MemberState = keyof typeof MEMBER_STATES;

export interface MemberDecision {
  readonly state: MemberState;
  readonly next: Next<MemberStep>;
  /** What `next` refuses for. */
  readonly refusals: readonly MemberRefusal[];
}

export function doStep(state: MemberState, step: MemberStep): MemberDecision {
  return { state, next: { kind: "step", step }, refusals: [] };
}

export function wait(state: MemberState, until: string): MemberDecision {
  return { state, next: { kind: "wait", until }, refusals: [] };
}

/** There is at least one refusal. */
export function refuse(state: MemberState, refusals: readonly MemberRefusal[]): MemberDecision {
  return { state, next: { kind: "refuse", error: refusalError(refusals) }, refusals };
}

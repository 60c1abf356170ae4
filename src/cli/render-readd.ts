import { MEMBER_STATES, type MemberDecision } from "../reconcile/member/decision.js";
import type { WantedMember } from "../reconcile/member/observed.js";
import { describeStep, etcdctlLine, type MemberStep } from "../reconcile/member/step.js";
import { escapeText } from "./escape-text.js";
import { renderQuorum } from "./render-members.js";

/** Where the member is, and the numbered way from there, each step as it would be done by hand. */
export function renderWay(decisions: readonly MemberDecision[], wanted: WantedMember): string {
  const [first] = decisions;
  const state = first === undefined ? "" : `${first.state} ${MEMBER_STATES[first.state]}`;
  const lines = decisions.flatMap(({ next }, index) => {
    if (next.kind === "step") return renderStep(index + 1, next.step, wanted);
    return next.kind === "wait" ? [`${index + 1}. wait until ${escapeText(next.until)}`] : [];
  });
  return [
    `member   ${escapeText(`${wanted.name} (${wanted.peerUrl})`)}`,
    `state    ${state}`,
    "",
    ...lines,
    "",
  ].join("\n");
}

function renderStep(number: number, step: MemberStep, wanted: WantedMember): readonly string[] {
  const byHand = etcdctlLine(step, wanted);
  const quorum =
    "quorum" in step
      ? [`   before: ${renderQuorum(step.quorum.before)}`, `   after:  ${renderQuorum(step.quorum.after)}`]
      : [];
  return [
    `${number}. ${escapeText(describeStep(step))}`,
    ...(byHand === undefined ? [] : [`   ${escapeText(byHand)}`]),
    ...quorum,
  ];
}

import { MEMBER_STATES, type MemberDecision } from "../reconcile/member/decision.js";
import type { WantedMember } from "../reconcile/member/observed.js";
import { describeStep, etcdctlLine, type MemberStep } from "../reconcile/member/step.js";
import { escapeText } from "./escape-text.js";
import type { JoiningStart } from "./joining-start.js";
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

/** What etcd will be started with: the four lines, or what changes in the file. Empty where it joins nothing. */
export function renderStart(start: JoiningStart | undefined): string {
  if (start === undefined) return "";
  if ("environment" in start) return `\n${escapeLines(start.environment)}\n`;
  const { path, before = "", after } = start;
  return `\n${escapeLines([path, ...changedLines(before, after)])}\n`;
}

function escapeLines(lines: readonly string[]): string {
  return lines.map(escapeText).join("\n");
}

/** An edit changes or adds whole lines. */
function changedLines(old: string, edited: string): readonly string[] {
  const [before, after] = [old.split("\n"), edited.split("\n")];
  return [
    ...before.filter((line) => !after.includes(line)).map((line) => `-${line}`),
    ...after.filter((line) => !before.includes(line)).map((line) => `+${line}`),
  ];
}

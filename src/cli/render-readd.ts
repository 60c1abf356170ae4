import { MEMBER_STATES, type MemberDecision } from "../reconcile/member/decision.js";
import { confirmedList, findEntry } from "../reconcile/member/find-entry.js";
import type { ForeseenDecision } from "../reconcile/member/foresee.js";
import { environmentLines } from "../reconcile/member/initial-cluster.js";
import type { WantedMember } from "../reconcile/member/observed.js";
import { describeStep, etcdctlLine, type MemberStep } from "../reconcile/member/step.js";
import { escapeText } from "./escape-text.js";
import type { MemberHost } from "./member-host.js";
import { renderQuorum } from "./render-members.js";
import { renderConfiguration } from "./supervisor.js";

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
export async function renderPreview(
  way: readonly ForeseenDecision[],
  { wanted, supervisor }: MemberHost,
): Promise<string> {
  const joining = way.find(({ state, next }) => state === "S4" && next.kind !== "refuse");
  const list = joining === undefined ? undefined : confirmedList(joining.observed.cluster);
  const entry = list === undefined ? undefined : findEntry(wanted, list.members).entry;
  if (joining === undefined || list === undefined || entry === undefined) return "";
  if (supervisor === undefined) return `\n${escapeLines(environmentLines(list.members, entry, wanted))}\n`;
  const text = await supervisor.read();
  const old = (await supervisor.exists()) ? text : "";
  const changed = changedLines(old, renderConfiguration(supervisor, text, joining.observed, wanted));
  return `\n${escapeLines([supervisor.path, ...changed])}\n`;
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

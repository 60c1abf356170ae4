import type { Finding, Plan } from "../plan.js";
import type { FindingContext } from "../pod-cidr/context.js";
import { findBlockFaults } from "./blocks.js";
import { findCniFaults } from "./cni.js";
import { findControlPlaneFaults } from "./control-plane.js";
import { findPodFaults } from "./pods.js";
import { findRangeFaults } from "./ranges.js";

/** Every finding about new Node blocks, blockers first. */
export function findAll(context: FindingContext): readonly Finding[] {
  return blockersFirst([
    ...findControlPlaneFaults(context),
    ...findRangeFaults(context),
    ...findBlockFaults(context),
    ...findPodFaults(context),
    ...findCniFaults(context),
  ]);
}

export function blockersFirst(findings: readonly Finding[]): readonly Finding[] {
  return [...findings.filter(isBlocker), ...findings.filter((finding) => !isBlocker(finding))];
}

function isBlocker({ severity }: Finding): boolean {
  return severity === "blocker";
}

/** The blockers that no `--accept` has lifted: nothing is written while there are any. */
export function standingBlockers(
  findings: readonly Finding[],
  accept: readonly string[],
): readonly Finding[] {
  return findings.filter(
    (finding) => isBlocker(finding) && !(finding.acceptable && accept.includes(finding.code)),
  );
}

/** What is wrong with Nodes that need an edit and do not get one. */
const LEAVES_EDITS_OUT: ReadonlySet<string> = new Set([
  "capacity",
  "unreadable",
  "duplicate-block",
  "changed-since",
]);

/** The blockers that keep a plan from being applied: the harm of an edit is none where no Node needs one. */
export function blockersOf({ findings, intent, outline }: Plan): readonly Finding[] {
  const standing = standingBlockers(findings, intent.accept);
  return outline.nodes.length > 0 ? standing : standing.filter(({ code }) => LEAVES_EDITS_OUT.has(code));
}

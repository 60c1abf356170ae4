import type { ComponentLife } from "../plan/life-signs.js";
import type { Finding, Outline, Plan } from "../plan/plan.js";
import type { RemainingStep } from "../plan/remaining-steps.js";
import { escapeText } from "./escape-text.js";
import type { Io } from "./io.js";
import { renderTable } from "./render-table.js";

export interface PlanView {
  readonly plan: Plan;
  readonly clusterName: string | undefined;
  readonly endpoint: string;
  readonly steps: readonly RemainingStep[];
  readonly components: readonly ComponentLife[];
}

// More than a person reads; `-o json` has them all.
const MOST_ROWS = 100;

/** The plan as a person reads it: what, where, which Nodes, what was noticed, what remains. */
export function renderPlan(view: PlanView, io: Io): string {
  const { plan } = view;
  const lines = [
    ...renderHeader(view),
    "",
    ...(plan.outline.nodes.length > 0 ? [...renderNodes(plan.outline), ""] : []),
    nodeCounts(plan.outline),
    ...plan.findings.flatMap((finding) => ["", ...renderFinding(finding, plan.intent.accept, io)]),
  ];
  return `${lines.join("\n")}\n`;
}

function renderHeader({ plan, clusterName, endpoint, components }: PlanView): string[] {
  const { cluster, outline, intent } = plan;
  const name = clusterName === undefined ? "" : `${escapeText(clusterName)}, `;
  return [
    `cluster   ${name}etcd cluster ${cluster.etcdId.toString(16)} at ${endpoint}, revision ${plan.readAt}`,
    `plan      ${plan.id}: ${escapeText(whatOf(intent))}`,
    ...outline.families.flatMap((family) => [
      `IPv${family.family}      ${family.oldRange ?? "(none)"} -> ${family.target}`,
      ...(family.oldRangeSource === undefined
        ? []
        : [`          old range: ${escapeText(family.oldRangeSource)}`]),
      `          node mask: /${family.nodeMask}, ${escapeText(family.nodeMaskSource)}; ${family.used} of ${family.blocks} blocks used afterwards`,
    ]),
    "method    the API refuses to change a block that is set, so the stored Nodes are edited in etcd",
    `          ${METHODS[plan.mode.kind]}: ${plan.mode.why}`,
    ...components.map(renderLife),
  ];
}

function whatOf(intent: Plan["intent"]): string {
  if (intent.operation === "rollback") return `rollback of ${intent.changeId}`;
  if (intent.operation === "restore-unreadable") return `bytes of ${intent.changeId} for ${intent.key}`;
  return "new blocks for the Nodes";
}

function renderLife({ component, isLive, why }: ComponentLife, index: number): string {
  const label = index === 0 ? "running   " : "          ";
  return `${label}${component}: ${isLive ? "yes" : "no sign of it"} (${escapeText(why)})`;
}

const METHODS: Readonly<Record<Plan["mode"]["kind"], string>> = {
  "one-transaction": "all in one transaction",
  batches: "in batches, one after the other",
  "key-by-key": "one key after the other",
  "one-node-a-transaction": "one Node a transaction, up to 16 at once",
};

function renderNodes({ nodes }: Outline): string[] {
  const shown = nodes.slice(0, MOST_ROWS);
  const table = renderTable(
    ["NODE", "NOW", "NEW", "BY"],
    shown.map(({ name, before, after, choices }) => [
      name,
      before.join(",") || "(none)",
      after.join(",") || "(none)",
      choices.join(", "),
    ]),
  );
  const more = nodes.length - shown.length;
  return more > 0 ? [...table, `... and ${more} more (-o json lists all)`] : [...table];
}

function nodeCounts({ nodes, unchanged }: Outline): string {
  const plural = nodes.length === 1 ? "Node changes" : "Nodes change";
  return `${nodes.length} ${plural}, ${unchanged} ${unchanged === 1 ? "stays as it is" : "stay as they are"}`;
}

function renderFinding(finding: Finding, accept: readonly string[], io: Io): string[] {
  const accepted = finding.severity === "blocker" && finding.acceptable && accept.includes(finding.code);
  const label = accepted ? "accepted" : finding.severity;
  const coloured = io.style(label === "blocker" ? "red" : "yellow", `${label}[${finding.code}]`);
  const hint = label === "blocker" && finding.acceptable ? `; or --accept ${finding.code}` : "";
  return [
    `${coloured}: ${escapeText(finding.what)}`,
    `  why:  ${escapeText(finding.why)}`,
    `  next: ${escapeText(finding.next)}${hint}`,
  ];
}

export function renderSteps(steps: readonly RemainingStep[]): string[] {
  return steps.map(({ where, what }, index) => `  ${index + 1}. ${escapeText(where)}: ${escapeText(what)}`);
}

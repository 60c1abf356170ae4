import { describeChange } from "../plan/change-record.js";
import type { JournaledChange, JournaledKey } from "../plan/journaled-change.js";
import { escapeText } from "./escape-text.js";
import { renderTable } from "./render-table.js";

export interface Place {
  readonly clusterName: string | undefined;
  readonly endpoint: string;
}

const MOST_ROWS = 20;

/** What has been done of a change and what is left of it, before somebody says that it shall go on. */
export function renderResumption(change: JournaledChange, { clusterName, endpoint }: Place): string {
  const { begin, keys } = change;
  const { changeId, plan, host, user } = begin;
  const all = [...keys.values()];
  const written = all.filter(({ committedAt }) => committedAt !== undefined);
  const dropped = all.filter((key) => key.dropped !== undefined);
  const left = all.filter((key) => !written.includes(key) && !dropped.includes(key));
  const name = clusterName === undefined ? "" : `${escapeText(clusterName)}, `;
  const gone = dropped.length === 0 ? "" : `, ${dropped.length} gone`;
  const lines = [
    `cluster   ${name}etcd cluster ${plan.cluster.etcdId.toString(16)} at ${endpoint}`,
    `change    ${changeId} of ${escapeText(`${user}@${host}`)}: ${plan.intent.operation} ${describeChange(plan)}`,
    `done      ${written.length} of ${all.length} Nodes written${gone}`,
    `left      ${left.length}`,
    ...(left.length === 0 ? [] : ["", ...renderLeft(left)]),
  ];
  return `${lines.join("\n")}\n\n`;
}

function renderLeft(left: readonly JournaledKey[]): readonly string[] {
  const table = renderTable(
    ["NODE", "BEFORE", "NEW"],
    left
      .slice(0, MOST_ROWS)
      .map(({ outline: { name, before, after } }) => [
        name,
        before.join(",") || "(none)",
        after.join(",") || "(none)",
      ]),
  );
  const more = left.length - MOST_ROWS;
  return more > 0 ? [...table, `... and ${more} more`] : table;
}

import { someOf } from "../plan/findings/finding.js";
import type { EditDifference } from "../plan/plan-file.js";
import { renderTable } from "./render-table.js";

// More than a person reads before he plans anew.
const MOST_ROWS = 20;

/** How a plan made anew differs from the one before, a line for each field. */
export function renderDifferences(differences: readonly EditDifference[]): string {
  const table = renderTable(
    ["NODE", "FIELD", "PLANNED", "NOW"],
    differences
      .slice(0, MOST_ROWS)
      .map(({ key, path, planned, now }) => [
        nodeName(key),
        path,
        planned ?? "(no edit)",
        now ?? "(no edit)",
      ]),
  );
  const more = differences.length - MOST_ROWS;
  return `${[...table, ...(more > 0 ? [`... and ${more} more`] : [])].join("\n")}\n`;
}

/** For an error's line: `the same intent gives other edits now, for worker-1 and worker-2`. */
export function differenceText(differences: readonly EditDifference[]): string {
  const names = [...new Set(differences.map(({ key }) => nodeName(key)))];
  return `the same intent gives other edits now, for ${someOf(names)}`;
}

function nodeName(key: string): string {
  return key.slice(key.lastIndexOf("/") + 1);
}

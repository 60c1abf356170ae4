import type { Verdict } from "../plan/verify/verify-cluster.js";
import { escapeText } from "./escape-text.js";
import type { Io } from "./io.js";
import { renderTable } from "./render-table.js";

// More than a person reads; `-o json` has them all.
const MOST_DETAILS = 5;

function shortened(details: readonly string[]): readonly string[] {
  const more = details.length - MOST_DETAILS;
  return more > 0 ? [...details.slice(0, MOST_DETAILS), `and ${more} more (-o json lists all)`] : details;
}

const STYLES = { ok: "green", differs: "red", "cannot tell": "yellow" } as const;

/** One line a check, and below it what differs. */
export function renderVerdict({ checks, notes }: Verdict, io: Io): string {
  const [head = "", ...rows] = renderTable(
    ["RESULT", "WHERE", "WHAT"],
    checks.map(({ result, where, values }) => [result, where, values]),
  );
  const lines = checks.flatMap(({ result, details }, index) => [
    io.style(STYLES[result], result) + (rows[index] ?? "").slice(result.length),
    ...shortened(details).map((detail) => `             ${escapeText(detail)}`),
  ]);
  return [head, ...lines, ...notes.map((note) => `note: ${escapeText(note)}`)]
    .map((line) => `${line}\n`)
    .join("");
}

import type { Verdict } from "../plan/verify/verify-cluster.js";
import { escapeText } from "./escape-text.js";
import type { Io } from "./io.js";
import { renderTable } from "./render-table.js";

const STYLES = { ok: "green", differs: "red", "cannot tell": "yellow" } as const;

/** One line a check, and below it what differs. */
export function renderVerdict({ checks, notes }: Verdict, io: Io): string {
  const [head = "", ...rows] = renderTable(
    ["RESULT", "WHERE", "WHAT"],
    checks.map(({ result, where, values }) => [result, where, values]),
  );
  const lines = checks.flatMap(({ result, details }, index) => [
    io.style(STYLES[result], result) + (rows[index] ?? "").slice(result.length),
    ...details.map((detail) => `             ${escapeText(detail)}`),
  ]);
  return [head, ...lines, ...notes.map((note) => `note: ${escapeText(note)}`)]
    .map((line) => `${line}\n`)
    .join("");
}

import { escapeText } from "./escape-text.js";

/** Columns padded to their widest cell, two blanks between; the last column is not padded. */
export function renderTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const lines = [head, ...rows.map((row) => row.map(escapeText))];
  const widths = head.map((_title, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)));
  return lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

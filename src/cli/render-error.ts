import type { EtcdcidrError } from "../errors.js";
import { escapeText } from "./escape-text.js";

/** The four lines: what, why, what is true now, what to do next. */
export function renderError({ code, explanation }: EtcdcidrError): string {
  const { what, why, now, next } = explanation;
  return [
    `error[${code}]: ${escapeText(what)}`,
    `  why:  ${escapeText(why)}`,
    `  now:  ${escapeText(now)}`,
    `  next: ${escapeText(next)}`,
    "",
  ].join("\n");
}

/** Where it was thrown, and what caused it. */
export function renderStack(error: unknown): string {
  if (!(error instanceof Error)) return "";
  const lines = (error.stack ?? "").split("\n").map(escapeText);
  const cause = renderStack(error.cause);
  return `${lines.join("\n")}\n${cause === "" ? "" : `caused by ${cause}`}`;
}

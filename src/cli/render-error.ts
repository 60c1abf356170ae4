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

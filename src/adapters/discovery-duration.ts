import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";

/** Milliseconds of a duration as Go writes it (`5s`, `1m30s`, `500ms`). Throws `usage`, naming the flag or variable. */
export function parseDuration(text: string, name: string): number {
  const parts = [...text.matchAll(PART)];
  const complete = parts.map(([part]) => part).join("") === text;
  const milliseconds = parts.reduce((sum, [, n, unit]) => sum + Number(n) * unitMs(unit), 0);
  if (!complete || milliseconds <= 0) {
    throw new EtcdcidrError("usage", {
      what: `${name} ${JSON.stringify(text)} cannot be used`,
      why: complete && text !== "" ? "it is not longer than nothing" : "it is not a duration",
      now: NOTHING_WRITTEN,
      next: "give a number with its unit: 5s, 1m30s, 500ms",
    });
  }
  return milliseconds;
}

const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/g;

const UNITS_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

function unitMs(unit: string | undefined): number {
  return UNITS_MS[unit ?? ""] ?? 0;
}

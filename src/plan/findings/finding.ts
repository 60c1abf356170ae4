import type { Finding } from "../plan.js";

type Text = Pick<Finding, "keys" | "what" | "why" | "next">;

/** Stands whatever the operator says: the store would be inconsistent or the cluster would not work. */
export function blocker(code: string, text: Text): Finding {
  return { code, severity: "blocker", acceptable: false, ...text };
}

/** Harm to the operator's own plans: `--accept <code>` lifts it. */
export function acceptableBlocker(code: string, text: Text): Finding {
  return { code, severity: "blocker", acceptable: true, ...text };
}

export function warning(code: string, text: Text): Finding {
  return { code, severity: "warning", acceptable: false, ...text };
}

/** The first few of a list, and how many more there are. */
export function someOf(names: readonly string[], most = 3): string {
  const more = names.length - most;
  return more > 0 ? `${names.slice(0, most).join(", ")} and ${more} more` : names.join(", ");
}

export function count(number: number | bigint, noun: string): string {
  return `${number} ${noun}${number === 1 || number === 1n ? "" : "s"}`;
}

import { InvalidArgumentError } from "commander";
import { ACCEPTABLE_REFUSALS } from "../reconcile/member/refusal.js";

/**
 * The findings and refusals, and `cannot-tell` of `verify`, whose harm an operator may accept; every other one stands whatever
 * is said.
 */
export const ACCEPTABLE_CODES: readonly string[] = [
  ...ACCEPTABLE_REFUSALS,
  "cannot-tell",
  "changed-since",
  "cni-ignores-node",
  "ipv4-difference",
  "node-block-too-small",
  "not-private",
  "operator-owned",
  "overlaps-current-block",
  "pods-outside-block",
  "unfinished-change",
].sort();

/** Adds the codes of one `--accept` to those before. A code that cannot be accepted is a usage error. */
export function collectAccepted(value: string, codes: readonly string[]): readonly string[] {
  const added = value.split(",").filter((code) => code !== "");
  const unknown = added.filter((code) => !ACCEPTABLE_CODES.includes(code));
  if (unknown.length > 0) {
    throw new InvalidArgumentError(
      `${unknown.join(", ")} cannot be accepted; these can: ${ACCEPTABLE_CODES.join(", ")}.`,
    );
  }
  return [...codes, ...added];
}

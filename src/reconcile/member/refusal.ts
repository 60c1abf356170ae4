import { EtcdcidrError, NOTHING_WRITTEN } from "../../errors.js";

/** Why a member is not brought back; what is acceptable goes with `--accept <code>`. */
export interface MemberRefusal {
  readonly code: (typeof ACCEPTABLE_REFUSALS)[number] | (typeof FIRM_REFUSALS)[number];
  readonly what: string;
  readonly next: string;
}

/** Whose harm is to the operator's own plans alone; every other refusal stands whatever is said. */
export const ACCEPTABLE_REFUSALS = [
  "alarm-nospace",
  "certificate-names",
  "database-nearly-full",
  "disk-space",
  "even-voters",
  "foreign-data",
  "member-errors",
  "no-spare",
  "odd-data",
  "other-learner",
  "other-member-down",
  "peer-unreachable",
  "peer-url-differs",
  "target-alive",
] as const;

/** What stands whatever is said: etcd would refuse it too, or the cluster would be harmed. */
export const FIRM_REFUSALS = [
  "alarm-corrupt",
  "certificate-issuer",
  "certificate-key",
  "certificate-time",
  "data-unreadable",
  "last-member",
  "name-taken",
  "no-quorum",
  "older-version",
  "other-unnamed",
  "peer-url",
  "peer-url-is-client-url",
  "peer-url-scheme",
  "process-running",
  "quorum-at-risk",
  "recycled-too-often",
  "two-clusters",
  "two-entries",
] as const;

export function isAcceptable(code: string): boolean {
  return ACCEPTABLE_REFUSALS.some((each) => each === code);
}

/** Those that still stand when the operator has accepted these codes. */
export function standingRefusals(
  refusals: readonly MemberRefusal[],
  accepted: readonly string[],
): readonly MemberRefusal[] {
  return refusals.filter(({ code }) => !(isAcceptable(code) && accepted.includes(code)));
}

/** All of them as one error. There is at least one. */
export function refusalError(refusals: readonly MemberRefusal[]): EtcdcidrError {
  const codes = [...new Set(refusals.map(({ code }) => code))];
  const next = [...new Set(refusals.map((refusal) => refusal.next))].join("; ");
  const accept = codes.map((code) => `--accept ${code}`).join(" ");
  return new EtcdcidrError("blocked", {
    what: `this member is not brought back: ${codes.join(", ")}`,
    why: refusals.map(({ what }) => what).join("; "),
    now: NOTHING_WRITTEN,
    next: codes.every(isAcceptable) ? `${next}; or accept the harm with ${accept}` : next,
  });
}

/** One line of `etcdcidr verify`: a place that holds addresses, compared with what they should be. */
export interface Check {
  /** What is checked, for programs: `node-range`. */
  readonly check: string;
  readonly result: "ok" | "differs" | "cannot tell";
  /** Where it is checked, for people: `Nodes`, `kube-controller-manager on kube-1`. */
  readonly where: string;
  /** The values that were compared. */
  readonly values: string;
  /** What differs, a line each; not more than a person reads. */
  readonly details: readonly string[];
}

const MOST_DETAILS = 5;

/** `differs` when there is anything to name, else `ok`. */
export function judge(check: string, where: string, values: string, faults: readonly string[]): Check {
  const more = faults.length - MOST_DETAILS;
  const details = more > 0 ? [...faults.slice(0, MOST_DETAILS), `and ${more} more`] : faults;
  return { check, result: faults.length === 0 ? "ok" : "differs", where, values, details };
}

/** For what is there and cannot be read or judged; what a cluster does not have has no line. */
export function cannotTell(check: string, where: string, why: string): Check {
  return { check, result: "cannot tell", where, values: why, details: [] };
}

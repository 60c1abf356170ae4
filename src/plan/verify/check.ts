/** One line of `etcdcidr verify`: a place that holds addresses, compared with what they should be. */
export interface Check {
  /** What is checked, for programs: `node-range`. */
  readonly check: string;
  readonly result: "ok" | "differs" | "cannot tell";
  /** Where it is checked, for people: `Nodes`, `kube-controller-manager on kube-1`. */
  readonly where: string;
  /** The values that were compared. */
  readonly values: string;
  /** What differs or cannot be read, a line each. */
  readonly details: readonly string[];
}

/** `differs` when there is anything to name, else `ok`. */
export function judge(check: string, where: string, values: string, faults: readonly string[]): Check {
  return { check, result: faults.length === 0 ? "ok" : "differs", where, values, details: faults };
}

/** For what is there and cannot be read or judged; what a cluster does not have has no line. */
export function cannotTell(
  check: string,
  where: string,
  why: string,
  details: readonly string[] = [],
): Check {
  return { check, result: "cannot tell", where, values: why, details };
}

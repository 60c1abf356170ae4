/** What the operator is told: what could not be done, why, what is true now, what to do next. */
export interface Explanation {
  readonly what: string;
  readonly why: string;
  readonly now: string;
  readonly next: string;
}

/** Every way in which etcdcidr can fail; `cli/exit-code.ts` gives each its exit code. */
export const ERROR_CODES = [
  "internal",
  "not-found",
  "usage",
  "invalid-cidr",
  "unreachable",
  "tls",
  "authentication",
  "wrong-etcd",
  "not-sent",
  "compacted",
  "malformed-object",
  "unsupported-format",
  "blocked",
  "declined",
  "no-terminal",
  "plan-altered",
  "plan-stale",
  "wrong-cluster",
  "journal-unusable",
  "journal-damaged",
  "snapshot-damaged",
  "too-large",
  "refused",
  "stopped",
  "in-doubt",
  "not-verified",
  "interrupted",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** The one error class: a code to decide on, and four lines to read. */
export class EtcdcidrError extends Error {
  readonly code: ErrorCode;
  readonly explanation: Explanation;

  constructor(code: ErrorCode, explanation: Explanation, options?: ErrorOptions) {
    super(`${explanation.what}: ${explanation.why}`, options);
    this.name = "EtcdcidrError";
    this.code = code;
    this.explanation = explanation;
  }
}

/** The sentence for `now` wherever an error is found before the first write. */
export const NOTHING_WRITTEN = "nothing was written";

/** The same where a change of another run may be half done: of the cluster as a whole nothing is known. */
export const NOTHING_BY_THIS_RUN = "this run has written nothing";

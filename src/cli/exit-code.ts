import type { ErrorCode } from "../errors.js";

/** DESIGN: 1 failed, 2 usage, 3 nothing written, 4 part written, 5 unknown, 6 not verified, 130 interrupted. */
const EXIT_CODES: Readonly<Record<ErrorCode, number>> = {
  internal: 1,
  "not-found": 1,
  usage: 2,
  "invalid-cidr": 2,
  "no-terminal": 2,
  unreachable: 3,
  tls: 3,
  authentication: 3,
  "wrong-etcd": 3,
  "not-sent": 3,
  compacted: 3,
  "malformed-object": 3,
  "unsupported-format": 3,
  blocked: 3,
  declined: 3,
  "plan-altered": 3,
  "plan-stale": 3,
  "wrong-cluster": 3,
  "journal-unusable": 3,
  "journal-damaged": 3,
  "snapshot-damaged": 3,
  "too-large": 3,
  refused: 3,
  stopped: 4,
  "in-doubt": 5,
  "not-verified": 6,
  interrupted: 130,
};

export function exitCodeOf(code: ErrorCode): number {
  return EXIT_CODES[code];
}

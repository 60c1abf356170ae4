import { type ErrorCode, EtcdcidrError } from "../errors.js";
import { someOf } from "../plan/findings/finding.js";

/** How far a change has come, over all of its runs. */
export interface HowFar {
  readonly changeId: string;
  /** How many Nodes it is about. */
  readonly all: number;
  readonly written: number;
  /** Names of the Nodes that are neither written nor left out. */
  readonly left: readonly string[];
}

/**
 * The failure of a Txn, saying what is true of the whole change and how to go on. Its code becomes `refused` while nothing is
 * written, else `stopped`; `in-doubt` and `interrupted` stay.
 */
export function explainFailure(error: EtcdcidrError, howFar: HowFar): EtcdcidrError {
  const { code, explanation } = error;
  const { all, written, left } = howFar;
  if (code === "in-doubt") {
    const now = `${written} of ${all} Nodes are written; of what was sent last it is not known`;
    return retold(error, code, now, [`when etcd answers again, ${waysOn(code, howFar)}`]);
  }
  const action = code === "interrupted" ? [] : [explanation.next];
  if (written > 0) {
    const now = `${written} of ${all} Nodes are written, not written: ${someOf(left)}`;
    return retold(error, keep(code, "stopped"), now, [...action, waysOn(code, howFar)]);
  }
  const now = all === 1 ? "the Node is not written" : `none of the ${all} Nodes is written`;
  // What etcd or the disk says has its own next step.
  const isOurs = code === "stopped" || code === "refused" || code === "interrupted";
  return retold(error, keep(code, "refused"), now, [...action, ...(isOurs ? ["run the command again"] : [])]);
}

/** Going on would meet a Node again whose blocks somebody else has set (`refused`). */
function waysOn(code: ErrorCode, { changeId }: HowFar): string {
  const back = `\`etcdcidr rollback ${changeId}\` undoes what is written`;
  return code === "refused" ? back : `\`etcdcidr resume ${changeId}\` goes on, ${back}`;
}

function keep(code: ErrorCode, other: ErrorCode): ErrorCode {
  return code === "interrupted" ? code : other;
}

function retold(error: EtcdcidrError, code: ErrorCode, now: string, steps: readonly string[]): EtcdcidrError {
  return new EtcdcidrError(
    code,
    { ...error.explanation, now, next: steps.join("; then ") },
    { cause: error },
  );
}

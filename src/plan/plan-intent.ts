import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import { planChangePodCidr } from "./change-pod-cidr.js";
import type { Intent, RestoreUnreadableIntent } from "./intent.js";
import type { JournaledChange } from "./journaled-change.js";
import type { Plan } from "./plan.js";
import type { ReadSet } from "./read-set.js";
import { planRollback } from "./rollback.js";
import { selectChange } from "./select-change.js";

/** Plans whatever was asked for, over today's read set and history. Throws what the operation's own planner throws. */
export function planIntent(intent: Intent, readSet: ReadSet, history: readonly JournaledChange[]): Plan {
  if (intent.operation === "change-pod-cidr") return planChangePodCidr(intent, readSet);
  if (intent.operation === "restore-unreadable") throw fromJournal(intent);
  const change = selectChange(history, intent.changeId);
  if (change === undefined) throw new TypeError("a named change is selected or an error is thrown");
  return planRollback(intent, readSet, change);
}

function fromJournal({ key, changeId }: RestoreUnreadableIntent): EtcdcidrError {
  return new EtcdcidrError("refused", {
    what: `cannot plan the restoring of ${key} again`,
    why: "its bytes come from a journal, not from the cluster",
    now: NOTHING_WRITTEN,
    next: `run \`etcdcidr rollback ${changeId} --restore-unreadable ${key}\` once more`,
  });
}

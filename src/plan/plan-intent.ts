import { planChangePodCidr } from "./change-pod-cidr.js";
import type { Intent } from "./intent.js";
import type { JournaledChange } from "./journaled-change.js";
import type { Plan } from "./plan.js";
import type { ReadSet } from "./read-set.js";
import { planRollback } from "./rollback.js";
import { selectChange } from "./select-change.js";

/** Plans whatever was asked for, over today's read set and history. Throws what the operation's own planner throws. */
export function planIntent(intent: Intent, readSet: ReadSet, history: readonly JournaledChange[]): Plan {
  if (intent.operation === "change-pod-cidr") return planChangePodCidr(intent, readSet);
  const change = selectChange(history, intent.changeId);
  if (change === undefined) throw new TypeError("a named change is selected or an error is thrown");
  return planRollback(intent, readSet, change);
}

import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import type { JournaledChange } from "../plan/journaled-change.js";
import { type ChangeRecord, isOpen } from "../plan/lock-holder.js";
import { unfinishedChanges } from "../plan/select-change.js";
import { readChangeRecords } from "../run/change-records.js";
import { settleChange } from "../run/settle-change.js";
import type { Session } from "./session.js";

/**
 * No change begins while an earlier one of this cluster is half done, here or on another host. What is in doubt is settled by
 * reading; a change that turns out to have written nothing does not count. `undoing` is the change that a rollback is about.
 */
export async function refuseUnfinished(
  session: Session,
  history: readonly JournaledChange[],
  undoing?: string,
): Promise<void> {
  for (const change of unfinishedChanges(history)) {
    if (change.begin.changeId === undoing) continue;
    const settled = await settleChange(session, change);
    if (settled.state !== "not written") throw halfDone(settled);
  }
  const known = new Set(history.map(({ begin }) => begin.changeId));
  const elsewhere = (await readChangeRecords(session.etcd)).filter(
    ({ id, state }) => !known.has(id) && isOpen(state),
  );
  const [first] = elsewhere;
  if (first !== undefined) throw halfDoneElsewhere(first);
}

function halfDone({ begin, keys }: JournaledChange): EtcdcidrError {
  const { changeId } = begin;
  const written = [...keys.values()].filter(({ committedAt }) => committedAt !== undefined).length;
  return new EtcdcidrError("blocked", {
    what: "an earlier change is half done",
    why: `${changeId} has written ${written} of its ${keys.size} Nodes`,
    now: NOTHING_WRITTEN,
    next: `\`etcdcidr resume ${changeId}\` goes on with it, \`etcdcidr rollback ${changeId}\` undoes it`,
  });
}

function halfDoneElsewhere({ id, host, user, journal, state }: ChangeRecord): EtcdcidrError {
  return new EtcdcidrError("blocked", {
    what: "a change of another host is not finished",
    why: `${id} of ${user}@${host} is ${state}; its journal lies in ${journal} there`,
    now: NOTHING_WRITTEN,
    next: `run \`etcdcidr resume ${id}\` on ${host}, or carry its journal over with \`changes export\` and \`changes import\``,
  });
}

import { openSpool } from "../../adapters/spool-file.js";
import { EtcdcidrError, NOTHING_WRITTEN } from "../../errors.js";
import { planChangePodCidr } from "../../plan/change-pod-cidr.js";
import { type JournaledChange, planOf } from "../../plan/journaled-change.js";
import { recordOf } from "../../plan/lock-holder.js";
import type { Plan } from "../../plan/plan.js";
import { differencesFrom, toSavedPlan } from "../../plan/plan-file.js";
import type { ReadSet } from "../../plan/read-set.js";
import { remainingSteps } from "../../plan/remaining-steps.js";
import { planRollback } from "../../plan/rollback.js";
import { selectChange, selectUnfinished } from "../../plan/select-change.js";
import type { JournalStore } from "../../ports.js";
import { writeChangeRecord } from "../../run/change-records.js";
import { gather } from "../../run/gather.js";
import { readHistory } from "../../run/history.js";
import { pendingFromEtcd } from "../../run/read-pending.js";
import { settleChange } from "../../run/settle-change.js";
import { checkCluster } from "../check-cluster.js";
import { confirm } from "../confirm.js";
import { executePlan } from "../execute-plan.js";
import type { GlobalOptions } from "../global-options.js";
import type { Io } from "../io.js";
import { runChange } from "../run-change.js";
import { journalStore, openSession, type Session } from "../session.js";

/** Goes on with a change that was interrupted. */
export async function resume(changeId: string | undefined, options: GlobalOptions, io: Io): Promise<number> {
  const store = journalStore(options);
  const history = await readHistory(store);
  const selected = selectUnfinished(history, changeId);
  if (selected === undefined) {
    io.err(`nothing to resume: no change in ${store.directory} is unfinished\n`);
    return 0;
  }
  const prefix = options.prefix ?? selected.begin.plan.intent.prefix;
  const session = await openSession({ ...options, prefix }, io);
  try {
    const change = await settleChange(session, selected);
    const resumption = { session, options, store, history, change };
    return change.state === "not written" ? await beginAnew(resumption, io) : await goOn(resumption, io);
  } finally {
    session.close();
  }
}

interface Resumption {
  readonly session: Session;
  readonly options: GlobalOptions;
  readonly store: JournalStore;
  readonly history: readonly JournaledChange[];
  /** With nothing in doubt any more. */
  readonly change: JournaledChange;
}

/** Part of it is written: the rest goes into what etcd holds now, in the same journal. */
async function goOn({ session, options, store, change }: Resumption, io: Io): Promise<number> {
  const { changeId } = change.begin;
  const readSet = await gather(session);
  checkCluster(change, readSet);
  const plan = planOf(change);
  const left = plan.stages.flatMap(({ groups }) => groups.flat()).length;
  io.err(
    `${changeId}: ${change.keys.size - left} of ${change.keys.size} Nodes are settled, ${left} are left\n`,
  );
  const { clusterName } = readSet;
  await confirm({ plan, clusterName, endpoint: session.etcd.endpoint, yes: options.yes }, io);
  const openJournal = async () => {
    const journal = await store.reopen(changeId);
    const { host, user } = change.begin;
    journal.append({ type: "resumed", atMs: Date.now(), host, user });
    for (const { key, committedAt } of change.keys.values()) {
      if (committedAt !== undefined)
        journal.append({ type: "committed", revision: committedAt, keys: [key] });
    }
    await journal.sync();
    return { journal, begin: change.begin, read: pendingFromEtcd(session.etcd, session.schema, journal) };
  };
  const steps = remainingSteps(plan.outline.families, readSet);
  return runChange({ session, options, changeId, plan, steps, openJournal }, io);
}

/** Nothing is written: it is planned anew, and made if the same edits come out; else it is closed. */
async function beginAnew({ session, options, store, history, change }: Resumption, io: Io): Promise<number> {
  const spool = await openSpool();
  try {
    const readSet = await gather({ ...session, spool });
    checkCluster(change, readSet);
    const plan = planAgain(change, readSet, history);
    const differences = change.ready
      ? differencesFrom(toSavedPlan(planOf(change)), plan)
      : ["its plan is not complete"];
    await close({ session, store, change });
    if (differences.length > 0) throw closed(change, differences);
    io.err(
      `${change.begin.changeId} has written nothing; the same edits come out now and are made as a new change\n`,
    );
    return await executePlan({ session, options, plan, readSet, store, spool, dryRun: false }, io);
  } finally {
    await spool.close();
  }
}

function planAgain({ begin }: JournaledChange, readSet: ReadSet, history: readonly JournaledChange[]): Plan {
  const intent = { ...begin.plan.intent, nowMs: Date.now() };
  if (intent.operation === "change-pod-cidr") return planChangePodCidr(intent, readSet);
  const undone = selectChange(history, intent.changeId);
  if (undone === undefined) throw new TypeError("a named change is selected or an error is thrown");
  return planRollback(intent, readSet, undone);
}

async function close({
  session,
  store,
  change,
}: Pick<Resumption, "session" | "store" | "change">): Promise<void> {
  const journal = await store.reopen(change.begin.changeId);
  journal.append({ type: "end", state: "not-written", atMs: Date.now() });
  await journal.sync();
  await journal.close();
  await writeChangeRecord(session.etcd, recordOf(change, journal.directory, "not-written"), []);
}

function closed({ begin }: JournaledChange, differences: readonly string[]): EtcdcidrError {
  return new EtcdcidrError("plan-stale", {
    what: `${begin.changeId} cannot be gone on with`,
    why: `it has written nothing, and the same intent gives other edits now: ${differences.slice(0, 3).join("; ")}`,
    now: `${NOTHING_WRITTEN}; the change is closed`,
    next: "make the change again",
  });
}

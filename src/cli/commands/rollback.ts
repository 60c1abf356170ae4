import { openSpool } from "../../adapters/spool-file.js";
import { writePrivateFile } from "../../adapters/text-file.js";
import type { RollbackIntent } from "../../plan/intent.js";
import type { JournaledChange } from "../../plan/journaled-change.js";
import { formatPlanFile } from "../../plan/plan-file.js";
import { planRollback } from "../../plan/rollback.js";
import { isWaiting, selectChange } from "../../plan/select-change.js";
import { gather } from "../../run/gather.js";
import { readHistory } from "../../run/history.js";
import { settleChange } from "../../run/settle-change.js";
import { checkCluster } from "../check-cluster.js";
import { closeUndone, closeUnwritten } from "../close-change.js";
import { executePlan } from "../execute-plan.js";
import type { GlobalOptions } from "../global-options.js";
import type { Io } from "../io.js";
import { concernsOfRollback, refuseOutOfDate, refuseUnfinished } from "../refuse-unfinished.js";
import { journalStore, openSession } from "../session.js";

export interface RollbackOptions {
  readonly leaveNewNodes: boolean;
  readonly oneTransaction: boolean;
  readonly dryRun: boolean;
  readonly out?: string;
}

export async function rollback(
  changeId: string | undefined,
  options: RollbackOptions & GlobalOptions,
  io: Io,
): Promise<number> {
  const store = journalStore(options);
  const history = await readHistory(store);
  const waiting = history.find((each) => each.begin.changeId === changeId && isWaiting(each));
  const change = waiting ?? selectChange(history, changeId);
  if (change === undefined) {
    io.err(`nothing to roll back: no change in ${store.directory} stands\n`);
    return 0;
  }
  const prefix = options.prefix ?? change.begin.plan.intent.prefix;
  const session = await openSession({ ...options, prefix }, io);
  const spool = await openSpool();
  try {
    await refuseOutOfDate(session, change);
    const concerning = concernsOfRollback(change, history);
    if (!options.dryRun) await refuseUnfinished(session, history, concerning);
    const readSet = await gather({ ...session, spool });
    checkCluster(change, readSet);
    if (!options.dryRun && (await settleChange(session, change)).state === "not written") {
      await closeUnwritten({ session, store, change }, io);
      io.err(`nothing to roll back: ${change.begin.changeId} has written nothing; it is closed\n`);
      return 0;
    }
    const plan = planRollback(readIntent(change, options, session.prefix), readSet, change);
    if (options.out !== undefined) await writePrivateFile(options.out, formatPlanFile(plan));
    const { dryRun } = options;
    const exitCode = await executePlan(
      { session, options, plan, readSet, store, spool, concerning, dryRun },
      io,
    );
    if (plan.outline.nodes.length === 0 && !dryRun) {
      await closeUndone({ session, store, change }, io);
      io.err(`${change.begin.changeId} counts as undone\n`);
    }
    return exitCode;
  } finally {
    await spool.close();
    session.close();
  }
}

function readIntent(
  { begin }: JournaledChange,
  options: RollbackOptions & GlobalOptions,
  prefix: string,
): RollbackIntent {
  return {
    operation: "rollback",
    changeId: begin.changeId,
    nowMs: Date.now(),
    prefix,
    accept: options.accept,
    oneTransaction: options.oneTransaction,
    leaveNewNodes: options.leaveNewNodes,
  };
}

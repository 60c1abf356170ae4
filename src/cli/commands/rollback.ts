import { thisHost } from "../../adapters/host.js";
import { openSpool } from "../../adapters/spool-file.js";
import { writePrivateFile } from "../../adapters/text-file.js";
import { type ChangeRecord, isOpen, stands } from "../../plan/change-record.js";
import type { RollbackIntent } from "../../plan/intent.js";
import type { JournaledChange } from "../../plan/journaled-change.js";
import { newerRecords } from "../../plan/newer-records.js";
import { formatPlanFile } from "../../plan/plan-file.js";
import { planRollback } from "../../plan/rollback.js";
import { isWaiting, selectChange } from "../../plan/select-change.js";
import { gather } from "../../run/gather.js";
import { readHistory } from "../../run/history.js";
import { type OwnKeys, readOwnKeys } from "../../run/own-keys.js";
import { settleChange } from "../../run/settle-change.js";
import { checkCluster } from "../check-cluster.js";
import { closeUndone, closeUnwritten } from "../close-change.js";
import { executePlan } from "../execute-plan.js";
import type { GlobalOptions } from "../global-options.js";
import type { Io } from "../io.js";
import { refuseElsewhere, refuseLaterElsewhere } from "../refuse-elsewhere.js";
import {
  concernsOfRollback,
  refuseOutOfDate,
  refuseUnfinished,
  waitForOtherRun,
} from "../refuse-unfinished.js";
import { restoreUnreadable } from "../restore-unreadable.js";
import { journalStore, openSessionFor } from "../session.js";

export interface RollbackOptions {
  readonly leaveNewNodes: boolean;
  readonly oneTransaction: boolean;
  readonly dryRun: boolean;
  readonly out?: string;
  readonly restoreUnreadable?: string;
}

export async function rollback(
  changeId: string | undefined,
  options: RollbackOptions & GlobalOptions,
  io: Io,
): Promise<number> {
  const { restoreUnreadable: key } = options;
  if (key !== undefined) return restoreUnreadable({ key, changeId, options }, io);
  const store = journalStore(options);
  const found = await readHistory(store);
  const session = await openSessionFor(changeId, found, options, io);
  const spool = await openSpool();
  try {
    const hasMoved = !options.dryRun && (await waitForOtherRun(session, io));
    const history = hasMoved ? await readHistory(store) : found;
    const change = select(store.directory, history, await readOwnKeys(session, thisHost()), changeId);
    if (change === undefined) {
      io.err(`nothing to roll back: no change in ${store.directory} stands\n`);
      return 0;
    }
    await refuseOutOfDate(session, store.directory, history, change);
    const concerning = concernsOfRollback(change, history);
    if (!options.dryRun) await refuseUnfinished(session, history, concerning);
    const readSet = await gather({ ...session, spool });
    checkCluster(change, readSet);
    if (!options.dryRun && (await settleChange(session, change)).state === "not-written") {
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

/** The change to roll back as `selectChange` has it, of those that another host has not gone on with. */
function select(
  directory: string,
  history: readonly JournaledChange[],
  ownKeys: OwnKeys,
  changeId: string | undefined,
): JournaledChange | undefined {
  const meant = { command: "rollback", directory, history, ownKeys } as const;
  if (changeId !== undefined) refuseElsewhere({ ...meant, isMeant: ({ id }) => id === changeId });
  const waiting = history.find((each) => each.begin.changeId === changeId && isWaiting(each));
  const change = waiting ?? selectChange(history, changeId, newerRecords(history, ownKeys.records));
  const isRollback = ({ operation }: ChangeRecord) => operation === "rollback";
  if (change === undefined)
    refuseElsewhere({
      ...meant,
      isMeant: (record) => stands(record) && (!isRollback(record) || isOpen(record)),
    });
  if (change !== undefined) refuseLaterElsewhere(change, meant);
  return change;
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

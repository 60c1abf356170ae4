import { openSpool } from "../../adapters/spool-file.js";
import { writePrivateFile } from "../../adapters/text-file.js";
import { EtcdcidrError, NOTHING_WRITTEN } from "../../errors.js";
import type { RollbackIntent } from "../../plan/intent.js";
import type { JournaledChange } from "../../plan/journaled-change.js";
import { formatPlanFile } from "../../plan/plan-file.js";
import type { ReadSet } from "../../plan/read-set.js";
import { planRollback } from "../../plan/rollback.js";
import { selectChange } from "../../plan/select-change.js";
import { gather } from "../../run/gather.js";
import { readHistory } from "../../run/history.js";
import { executePlan } from "../execute-plan.js";
import type { GlobalOptions } from "../global-options.js";
import type { Io } from "../io.js";
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
  const change = selectChange(await readHistory(store), changeId);
  if (change === undefined) {
    io.err(`nothing to roll back: no change in ${store.directory} stands\n`);
    return 0;
  }
  const prefix = options.prefix ?? change.begin.plan.intent.prefix;
  const session = await openSession({ ...options, prefix }, io);
  const spool = await openSpool();
  try {
    const readSet = await gather({ ...session, spool });
    checkCluster(change, readSet);
    const plan = planRollback(readIntent(change, options, session.prefix), readSet, change);
    if (options.out !== undefined) await writePrivateFile(options.out, formatPlanFile(plan));
    return await executePlan({ session, options, plan, readSet, store, spool, dryRun: options.dryRun }, io);
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

function checkCluster({ begin }: JournaledChange, { cluster }: ReadSet): void {
  const then = begin.plan.cluster;
  if (then.etcdId === cluster.etcdId && then.kubeSystemUid === cluster.kubeSystemUid) return;
  throw new EtcdcidrError("wrong-cluster", {
    what: `change ${begin.changeId} was made on another cluster`,
    why:
      `it wrote to etcd cluster ${then.etcdId.toString(16)} with kube-system ${then.kubeSystemUid}; ` +
      `this is ${cluster.etcdId.toString(16)} with ${cluster.kubeSystemUid}`,
    now: NOTHING_WRITTEN,
    next: `give the endpoints of that cluster (it was ${begin.endpoint})`,
  });
}

import { openSpool } from "../../adapters/spool-file.js";
import { readTextFile } from "../../adapters/text-file.js";
import { EtcdcidrError, NOTHING_WRITTEN } from "../../errors.js";
import type { Plan } from "../../plan/plan.js";
import { differencesFrom, parsePlanFile, type SavedPlan } from "../../plan/plan-file.js";
import { planIntent } from "../../plan/plan-intent.js";
import type { ReadSet } from "../../plan/read-set.js";
import { isSameCluster } from "../../plan/same-cluster.js";
import { gather } from "../../run/gather.js";
import { readHistory } from "../../run/history.js";
import { executePlan } from "../execute-plan.js";
import type { GlobalOptions } from "../global-options.js";
import type { Io } from "../io.js";
import {
  concernsOfRollback,
  refuseOutOfDate,
  refuseUnfinished,
  waitForOtherRun,
} from "../refuse-unfinished.js";
import { differenceText, renderDifferences } from "../render-differences.js";
import { journalStore, openSession } from "../session.js";

export interface ApplyOptions {
  readonly dryRun: boolean;
}

/** Plans again from a saved plan's intent, and goes on only when the same edits come out. */
export async function applyPlan(
  path: string,
  options: ApplyOptions & GlobalOptions,
  io: Io,
): Promise<number> {
  const saved = parsePlanFile(await readTextFile(path));
  const session = await openSession({ ...options, prefix: options.prefix ?? saved.intent.prefix }, io);
  const spool = await openSpool();
  try {
    const store = journalStore(options);
    if (!options.dryRun) await waitForOtherRun(session, io);
    const history = await readHistory(store);
    const { intent: asked } = saved;
    const undone =
      asked.operation === "rollback"
        ? history.find(({ begin }) => begin.changeId === asked.changeId)
        : undefined;
    const concerning = undone === undefined ? [] : concernsOfRollback(undone, history);
    if (!options.dryRun) await refuseUnfinished(session, history, concerning);
    if (undone !== undefined) await refuseOutOfDate(session, store.directory, history, undone);
    const readSet = await gather({ ...session, spool });
    checkCluster(saved, readSet);
    const intent = {
      ...saved.intent,
      nowMs: Date.now(),
      accept: [...new Set([...saved.intent.accept, ...options.accept])],
    };
    const plan = planIntent(intent, readSet, history);
    checkEdits(saved, plan, io);
    return await executePlan(
      { session, options, plan, readSet, store, spool, concerning, dryRun: options.dryRun },
      io,
    );
  } finally {
    await spool.close();
    session.close();
  }
}

function checkCluster({ cluster }: SavedPlan, readSet: ReadSet): void {
  const now = readSet.cluster;
  if (isSameCluster(cluster, now)) return;
  throw new EtcdcidrError("wrong-cluster", {
    what: "this plan is for another cluster",
    why:
      `it was made for etcd cluster ${cluster.etcdId.toString(16)} with kube-system ${cluster.kubeSystemUid}; ` +
      `this is ${now.etcdId.toString(16)} with ${now.kubeSystemUid}`,
    now: NOTHING_WRITTEN,
    next: "give the endpoints of the cluster that the plan was made for",
  });
}

function checkEdits(saved: SavedPlan, plan: Plan, io: Io): void {
  const differences = differencesFrom(saved, plan);
  if (differences.length === 0) return;
  io.err(renderDifferences(differences));
  throw new EtcdcidrError("plan-stale", {
    what: `the plan ${saved.id} is out of date`,
    why: differenceText(differences),
    now: NOTHING_WRITTEN,
    next: "make the plan again with --dry-run --out, read it, and apply that one",
  });
}

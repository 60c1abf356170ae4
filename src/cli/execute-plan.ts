import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import { blockersOf } from "../plan/findings/pod-cidr-findings.js";
import type { JournaledChange } from "../plan/journaled-change.js";
import { componentLife } from "../plan/life-signs.js";
import { createNameWriter } from "../plan/own-writer.js";
import type { Finding, Plan } from "../plan/plan.js";
import type { ReadSet } from "../plan/read-set.js";
import { remainingSteps } from "../plan/remaining-steps.js";
import { isOfCluster, isWaiting } from "../plan/select-change.js";
import { ONE_BY_ONE } from "../plan/write-mode.js";
import type { JournalStore, Spool } from "../ports.js";
import type { ReadPending } from "../run/apply.js";
import { readChangeRecords } from "../run/change-records.js";
import { readHistory } from "../run/history.js";
import type { Lock } from "../run/lock.js";
import { pendingFromSpool } from "../run/read-pending.js";
import { watchWrites } from "../run/watch-writes.js";
import { changeIdOf, writeJournal } from "../run/write-journal.js";
import { closeUnderLock } from "./close-change.js";
import { confirm } from "./confirm.js";
import type { GlobalOptions } from "./global-options.js";
import type { Io } from "./io.js";
import { refuseUnfinished } from "./refuse-unfinished.js";
import { renderData } from "./render-data.js";
import { type PlanView, renderPlan, renderSteps } from "./render-plan.js";
import { runChange } from "./run-change.js";
import { renderSnapshot, saveSnapshotOf } from "./save-snapshot.js";
import { runIdentity, type Session } from "./session.js";

export interface Execution {
  readonly session: Session;
  readonly options: GlobalOptions;
  readonly plan: Plan;
  readonly readSet: ReadSet;
  readonly store: JournalStore;
  readonly dryRun: boolean;
  /** Holds the originals; only a dry run may go without. */
  readonly spool?: Spool;
  /** A new file for a snapshot of etcd that is taken before the first write. */
  readonly snapshot?: string;
  /** The change that this one is about, as `refuseUnfinished` takes them. */
  readonly concerning?: readonly string[];
  /** Where the bytes come from that the edits go into; the spool, unless another place is named. */
  readonly read?: ReadPending;
  /** A change that has written nothing and is closed when this one begins. */
  readonly supersedes?: JournaledChange;
}

/** Shows a plan and, unless it is a dry run, asks, journals, applies and verifies it. Returns the exit code. */
export async function executePlan(execution: Execution, io: Io): Promise<number> {
  const { plan, readSet, session, options, dryRun, spool } = execution;
  const view: PlanView = {
    plan,
    clusterName: readSet.clusterName,
    endpoint: session.etcd.endpoint,
    components: componentLife(readSet, plan.intent.nowMs),
    steps: remainingSteps(plan.outline.families, readSet, plan.outline.nodes),
  };
  const blockers = blockersOf(plan);
  const willWrite = !dryRun && blockers.length === 0 && plan.outline.nodes.length > 0;
  await show(execution, view, willWrite, io);
  if (blockers.length > 0) throw blocked(blockers);
  if (plan.outline.nodes.length === 0) {
    io.err("nothing to do: no Node needs an edit\n");
    return 0;
  }
  if (dryRun || spool === undefined) return 0;
  await execution.store.probe(journalBytes(plan, readSet));
  const writes = watchWrites(session.etcd, plan.cluster, plan.intent.prefix, plan.readAt);
  try {
    await confirm({ plan, clusterName: view.clusterName, endpoint: view.endpoint, yes: options.yes }, io);
    if (execution.snapshot !== undefined)
      io.err(renderSnapshot(await saveSnapshotOf(session, execution.snapshot, io)));
    return await run({ ...execution, plan: asWatched(plan, await writes.seen(), io), spool }, view.steps, io);
  } finally {
    writes.stop();
  }
}

/** Who looked at the plan for a while may have started an API server meanwhile: then no two Nodes may share a revision. */
function asWatched(plan: Plan, written: string | undefined, io: Io): Plan {
  const isJoined = plan.mode.kind === "batches" || plan.mode.kind === "one-transaction";
  if (written === undefined || !isJoined || plan.intent.oneTransaction) return plan;
  io.err(
    `an API server lives, ${written} was written since the plan was read: going one Node a transaction\n`,
  );
  return { ...plan, mode: ONE_BY_ONE };
}

/** A run says this when it is done, a dry run beforehand. */
function renderAfterwards({ plan, steps }: PlanView): string {
  return plan.outline.nodes.length === 0 || steps.length === 0
    ? ""
    : `\nafterwards, outside etcd:\n${renderSteps(steps).join("\n")}\n`;
}

/** A run's data is its result, so there the plan is for the person who is asked; where none comes, the data is the plan. */
async function show(
  { plan, options, dryRun }: Execution,
  view: PlanView,
  willWrite: boolean,
  io: Io,
): Promise<void> {
  const { output } = options;
  if (output === "text") io.out(`${renderPlan(view, io)}${dryRun ? renderAfterwards(view) : ""}\n`);
  else if (willWrite) io.err(`${renderPlan(view, io)}\n`);
  else io.out(await renderData({ plan, afterwards: view.steps, components: view.components }, output));
}

function run(
  execution: Execution & { readonly spool: Spool },
  steps: PlanView["steps"],
  io: Io,
): Promise<number> {
  const { session, options, plan, store, spool, supersedes, concerning = [] } = execution;
  const by = runIdentity(session.etcd.endpoint, plan.intent.nowMs);
  const openJournal = async (lock: Lock) => {
    // A run that held the lock until now may have ended half way.
    const history = await readHistory(store);
    const unwritten = await refuseUnfinished(session, history, concerning);
    const nameWriter = createNameWriter(history, await readChangeRecords(session.etcd));
    // Once this run has written the same values, nobody could tell any more that they had not; and what was given up is not to be
    // gone on with after this one.
    const waiting = history.filter((change) => isWaiting(change) && isOfCluster(change, plan.cluster));
    for (const change of [...unwritten, ...waiting, ...(supersedes === undefined ? [] : [supersedes])])
      await closeUnderLock({ session, store, change }, lock);
    const { journal, begin } = await writeJournal({ store, spool, plan, by });
    return { journal, begin, read: execution.read ?? pendingFromSpool(spool), nameWriter };
  };
  return runChange({ session, options, changeId: changeIdOf(plan), plan, steps, openJournal }, io);
}

/** Originals as base64 and what is said about each key, with room to spare. */
function journalBytes({ outline }: Plan, readSet: ReadSet): number {
  const keys = new Set(outline.nodes.map(({ key }) => key));
  const nodes = readSet.nodes.filter(({ key }) => keys.has(key));
  return nodes.reduce((sum, { valueBytes }) => sum + Math.ceil(valueBytes * 1.4) + 4096, 1_000_000);
}

function blocked(blockers: readonly Finding[]): EtcdcidrError {
  const codes = [...new Set(blockers.map(({ code }) => code))];
  const acceptable = blockers.every((finding) => finding.acceptable);
  const next = [...new Set(blockers.map((finding) => finding.next))].join("; ");
  return new EtcdcidrError("blocked", {
    what: `the plan is blocked by ${codes.join(", ")}`,
    why: blockers.map(({ what }) => what).join("; "),
    now: NOTHING_WRITTEN,
    next: acceptable ? `${next}; or ${codes.map((code) => `--accept ${code}`).join(" ")}` : next,
  });
}

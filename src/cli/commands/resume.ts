import { isDeepStrictEqual } from "node:util";
import { thisHost } from "../../adapters/host.js";
import { openSpool } from "../../adapters/spool-file.js";
import { EtcdcidrError, NOTHING_WRITTEN } from "../../errors.js";
import { isOpen } from "../../plan/change-record.js";
import { type JournaledChange, planOf } from "../../plan/journaled-change.js";
import { currentChanges } from "../../plan/newer-records.js";
import type { Plan } from "../../plan/plan.js";
import { differencesFrom, toSavedPlan } from "../../plan/plan-file.js";
import { planIntent } from "../../plan/plan-intent.js";
import type { ReadSet } from "../../plan/read-set.js";
import { remainingSteps } from "../../plan/remaining-steps.js";
import { selectUnfinished } from "../../plan/select-change.js";
import type { Journal, JournalStore } from "../../ports.js";
import type { ApplyResult } from "../../run/apply.js";
import { gather } from "../../run/gather.js";
import { readHistory } from "../../run/history.js";
import { type OwnKeys, readOwnKeys } from "../../run/own-keys.js";
import { pendingFromEtcd } from "../../run/read-pending.js";
import { settleChange } from "../../run/settle-change.js";
import { checkCluster } from "../check-cluster.js";
import { closeUnwritten } from "../close-change.js";
import { confirm } from "../confirm.js";
import { executePlan } from "../execute-plan.js";
import type { GlobalOptions } from "../global-options.js";
import type { Io } from "../io.js";
import { mendRecords } from "../mend-records.js";
import { refuseElsewhere } from "../refuse-elsewhere.js";
import { concernsOf, refuseUnfinished, waitForOtherRun } from "../refuse-unfinished.js";
import { differenceText, renderDifferences } from "../render-differences.js";
import { renderResumption } from "../render-resumption.js";
import { runChange } from "../run-change.js";
import { journalStore, openSessionFor, type Session } from "../session.js";

/** Goes on with a change that was interrupted. */
export async function resume(changeId: string | undefined, options: GlobalOptions, io: Io): Promise<number> {
  const store = journalStore(options);
  const found = await readHistory(store);
  const session = await openSessionFor(changeId, found, options, io);
  try {
    const history = (await waitForOtherRun(session, io)) ? await readHistory(store) : found;
    const selected = select(store.directory, history, await readOwnKeys(session, thisHost()), changeId);
    if (selected === undefined) {
      const none = `no change in ${store.directory} is unfinished`;
      io.err(
        `nothing to resume: ${changeId === undefined ? none : `${changeId} is complete, undone or closed`}\n`,
      );
      await mendRecords(session, history, io);
      return 0;
    }
    await refuseUnfinished(session, history, concernsOf(selected));
    const change = await settleChange(session, selected);
    const resumption = { session, options, store, history, selected, change };
    return change.state === "not-written" ? await beginAnew(resumption, io) : await goOn(resumption, io);
  } finally {
    session.close();
  }
}

/** The change to go on with as `selectUnfinished` has it, of those that another host has not gone on with. */
function select(
  directory: string,
  history: readonly JournaledChange[],
  ownKeys: OwnKeys,
  changeId: string | undefined,
): JournaledChange | undefined {
  const meant = { command: "resume", directory, history, ownKeys } as const;
  if (changeId !== undefined) refuseElsewhere({ ...meant, isMeant: ({ id }) => id === changeId });
  const selected = selectUnfinished(currentChanges(history, ownKeys.records), changeId);
  if (selected === undefined && changeId === undefined) refuseElsewhere({ ...meant, isMeant: isOpen });
  return selected;
}

interface Resumption {
  readonly session: Session;
  readonly options: GlobalOptions;
  readonly store: JournalStore;
  readonly history: readonly JournaledChange[];
  readonly selected: JournaledChange;
  /** The selected one with nothing in doubt any more. */
  readonly change: JournaledChange;
}

/** Part of it is written: the rest goes into what etcd holds now, in the same journal. */
async function goOn(resumption: Resumption, io: Io): Promise<number> {
  const { session, options, store, change } = resumption;
  const { changeId } = change.begin;
  const readSet = await gather(session);
  checkCluster(change, readSet);
  const plan = planOf(change);
  const left = plan.stages.flatMap(({ groups }) => groups.flat()).length;
  const { clusterName } = readSet;
  const { endpoint } = session.etcd;
  const shown = renderResumption(change, { clusterName, endpoint });
  if (options.output === "text") io.out(shown);
  else io.err(shown);
  if (left > 0) await confirm({ plan, clusterName, endpoint, yes: options.yes }, io);
  const openJournal = async () => {
    await refuseMoved(resumption);
    const journal = await reopen(store, change);
    return { journal, begin: change.begin, read: pendingFromEtcd(session.etcd, session.schema, journal) };
  };
  const steps = remainingSteps(plan.outline.families, readSet, plan.outline.nodes);
  const before = settledKeys(change);
  return runChange({ session, options, changeId, plan, steps, before, openJournal }, io);
}

/** While the lock was waited for, another run may have gone on with the change, or undone it. */
async function refuseMoved({ store, selected }: Resumption): Promise<void> {
  const { changeId } = selected.begin;
  const now = selectUnfinished(await readHistory(store), changeId);
  if (isDeepStrictEqual(now, selected)) return;
  throw new EtcdcidrError("blocked", {
    what: `${changeId} is no longer as it was`,
    why: "another run has gone on with it meanwhile",
    now: "this run has written nothing",
    next: "see `etcdcidr changes`, and run the command again if it is still unfinished",
  });
}

async function reopen(store: JournalStore, { begin, keys }: JournaledChange): Promise<Journal> {
  const journal = await store.reopen(begin.changeId);
  const { name, user } = thisHost();
  journal.append({ type: "resumed", atMs: Date.now(), host: name, user });
  for (const { key, committedAt } of keys.values()) {
    if (committedAt !== undefined) journal.append({ type: "committed", revision: committedAt, keys: [key] });
  }
  await journal.sync();
  return journal;
}

function settledKeys({ keys }: JournaledChange): Pick<ApplyResult, "committed" | "dropped"> {
  const all = [...keys.values()];
  return {
    committed: new Map(
      all.flatMap(({ key, committedAt }) => (committedAt === undefined ? [] : [[key, committedAt]])),
    ),
    dropped: new Map(all.flatMap(({ key, dropped }) => (dropped === undefined ? [] : [[key, dropped]]))),
  };
}

/** Nothing is written: it is planned anew, and made if the same edits come out; else it is closed. */
async function beginAnew(resumption: Resumption, io: Io): Promise<number> {
  const { session, options, store, change } = resumption;
  const spool = await openSpool();
  try {
    const readSet = await gather({ ...session, spool });
    checkCluster(change, readSet);
    const again = planAgain(resumption, readSet, io);
    if ("why" in again) {
      await closeUnwritten(resumption, io);
      throw closed(change, again.why);
    }
    io.err(
      `${change.begin.changeId} has written nothing; the same edits come out now and are made as a new change\n`,
    );
    const { plan } = again;
    const concerning = concernsOf(change);
    const anew = { session, options, plan, readSet, store, spool, concerning, supersedes: change };
    return await executePlan({ ...anew, dryRun: false }, io);
  } finally {
    await spool.close();
  }
}

type PlannedAgain = { readonly plan: Plan } | { readonly why: string };

function planAgain({ change, history, options }: Resumption, readSet: ReadSet, io: Io): PlannedAgain {
  if (!change.ready) return { why: "the run ended before its plan was on disk" };
  const accept = [...new Set([...change.begin.plan.intent.accept, ...options.accept])];
  const intent = { ...change.begin.plan.intent, accept, nowMs: Date.now() };
  try {
    const plan = planIntent(intent, readSet, history);
    const differences = differencesFrom(toSavedPlan(planOf(change)), plan);
    if (differences.length === 0) return { plan };
    io.err(renderDifferences(differences));
    return { why: differenceText(differences) };
  } catch (error) {
    if (!(error instanceof EtcdcidrError)) throw error;
    return { why: error.message };
  }
}

function closed({ begin }: JournaledChange, why: string): EtcdcidrError {
  return new EtcdcidrError("plan-stale", {
    what: `${begin.changeId} cannot be gone on with`,
    why: `it has written nothing, and ${why}`,
    now: `${NOTHING_WRITTEN}; the change is closed`,
    next: "make the change again",
  });
}

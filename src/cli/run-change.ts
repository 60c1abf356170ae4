import { SYSTEM_CLOCK } from "../adapters/clock.js";
import { thisHost } from "../adapters/host.js";
import { watchInterrupts } from "../adapters/interrupts.js";
import { EtcdcidrError } from "../errors.js";
import { type RecordedState, recordOf } from "../plan/change-record.js";
import type { ChangeState } from "../plan/change-state.js";
import type { BeginRecord } from "../plan/journal-record.js";
import type { NameWriter } from "../plan/own-writer.js";
import type { Plan } from "../plan/plan.js";
import type { RemainingStep } from "../plan/remaining-steps.js";
import type { Journal } from "../ports.js";
import { type ApplyResult, apply, type ReadPending } from "../run/apply.js";
import { recordUndone, writeChangeRecord } from "../run/change-records.js";
import { acquireLock, type Lock } from "../run/lock.js";
import { finish } from "./finish.js";
import type { GlobalOptions } from "./global-options.js";
import type { Io } from "./io.js";
import { createProgress } from "./progress.js";
import { renderError } from "./render-error.js";
import type { Session } from "./session.js";
import { showStopped } from "./show-stopped.js";

/** A confirmed plan and how its journal comes about: written anew, or gone on with. */
export interface ChangeRun {
  readonly session: Session;
  readonly options: GlobalOptions;
  readonly changeId: string;
  readonly plan: Plan;
  readonly steps: readonly RemainingStep[];
  /** What has been written of it before. */
  readonly before?: Pick<ApplyResult, "committed" | "dropped">;
  /** Called when the lock is held; whatever it does is on disk when it returns. */
  readonly openJournal: (lock: Lock) => Promise<{
    readonly journal: Journal;
    readonly begin: BeginRecord;
    readonly read: ReadPending;
    readonly nameWriter?: NameWriter;
  }>;
}

/** Takes the lock, journals, applies, verifies, and says what is left to do. Returns the exit code. */
export async function runChange(run: ChangeRun, io: Io): Promise<number> {
  return withLock(run.session, run.changeId, io, async (lock) => {
    const interrupts = watchInterrupts(
      () => io.err("\nfinishing what is under way; interrupt once more to end at once\n"),
      () => io.err(renderError(endedAtOnce(run.changeId))),
    );
    try {
      return await runLocked(run, lock, interrupts.isRequested, io);
    } finally {
      interrupts.dispose();
    }
  });
}

function endedAtOnce(changeId: string): EtcdcidrError {
  return new EtcdcidrError("interrupted", {
    what: "the change was ended at once",
    why: "etcdcidr was interrupted twice",
    now: "part of the Nodes may be written; the journal names all that may be",
    next: `\`etcdcidr resume ${changeId}\` settles it and goes on, \`etcdcidr rollback ${changeId}\` undoes what is written`,
  });
}

/** Holds the lock while the work is done. */
export async function withLock<Result>(
  session: Session,
  changeId: string,
  io: Io,
  work: (lock: Lock) => Promise<Result>,
): Promise<Result> {
  const lock = await takeLock(session, changeId, io);
  try {
    return await work(lock);
  } finally {
    await lock.release();
  }
}

/** kine has no leases, so there can be no lock either; the plan has said so. */
async function takeLock({ etcd, backend }: Session, changeId: string, io: Io): Promise<Lock> {
  if (backend === "kine") return { preconditions: [], release: async () => undefined };
  const say = (text: string) => io.err(`${text}\n`);
  return acquireLock({ etcd, clock: SYSTEM_CLOCK, host: thisHost(), changeId, say });
}

async function runLocked(run: ChangeRun, lock: Lock, isInterrupted: () => boolean, io: Io): Promise<number> {
  const { session, plan, before } = run;
  const { createSecondReader } = await import("../schema/second-reader.js");
  const { journal, begin, read, nameWriter } = await run.openJournal(lock);
  const record = (state: RecordedState, written: number) =>
    recordState(run, lock, { begin, journal, state, written }, io);
  await record("running", before?.committed.size ?? 0);
  const progress = createProgress(io, plan.outline.nodes.length, SYSTEM_CLOCK.now);
  const result = await apply({
    etcd: session.etcd,
    schema: session.schema,
    secondReader: createSecondReader(session.descriptor),
    journal,
    plan,
    preconditions: lock.preconditions,
    ...(before === undefined ? {} : { before }),
    read,
    ...(nameWriter === undefined ? {} : { nameWriter }),
    isInterrupted,
    onProgress: progress.show,
  });
  progress.end();
  const end = async (state: ChangeState) => {
    await endJournal(journal, state, io);
    await record(state, result.committed.size);
  };
  if (result.failure === undefined) return finish({ run, journal, result, end }, io);
  const state = endOf(result.failure, result);
  await end(state);
  await showStopped({ run, journal, result, state, error: result.failure }, io);
  throw result.failure;
}

/** What is in etcd does not change any more: an end that cannot be written down is found out again by reading. */
async function endJournal(journal: Journal, state: ChangeState, io: Io): Promise<void> {
  try {
    journal.append({ type: "end", state, atMs: SYSTEM_CLOCK.now() });
    await journal.sync().finally(() => journal.close());
  } catch (error) {
    if (!(error instanceof EtcdcidrError)) throw error;
    io.err(`warning: how the run ended could not be written down: ${error.explanation.why}\n`);
  }
}

interface StateToRecord {
  readonly begin: BeginRecord;
  readonly journal: Journal;
  readonly state: RecordedState;
  /** How many Nodes are written by now. */
  readonly written: number;
}

/** Other hosts read it; the journal decides, so that a record that cannot be written stops nothing. */
async function recordState(
  { session, plan }: ChangeRun,
  { preconditions }: Lock,
  { begin, journal, state, written }: StateToRecord,
  io: Io,
): Promise<void> {
  const { name, user } = thisHost();
  const { intent } = plan;
  try {
    if (intent.operation === "rollback" && (state === "done" || state === "not-verified"))
      await recordUndone(session.etcd, intent.changeId, begin.changeId, preconditions);
    const nodes = plan.outline.nodes.length;
    const record = recordOf(begin, { host: name, user, journal: journal.directory, state, nodes, written });
    await writeChangeRecord(session.etcd, record, preconditions);
  } catch (error) {
    if (!(error instanceof EtcdcidrError)) throw error;
    io.err(`warning: the record of this change in etcd could not be written: ${error.explanation.why}\n`);
  }
}

function endOf({ code }: EtcdcidrError, { committed }: ApplyResult): ChangeState {
  if (code === "in-doubt") return code;
  return committed.size === 0 ? "not-written" : "part-applied";
}

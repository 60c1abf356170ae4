import { SYSTEM_CLOCK } from "../adapters/clock.js";
import { thisHost } from "../adapters/host.js";
import { watchInterrupts } from "../adapters/interrupts.js";
import { EtcdcidrError } from "../errors.js";
import type { BeginRecord, EndRecord } from "../plan/journal-record.js";
import { type ChangeRecord, recordOf } from "../plan/lock-holder.js";
import type { Plan } from "../plan/plan.js";
import type { RemainingStep } from "../plan/remaining-steps.js";
import type { Journal } from "../ports.js";
import { type ApplyResult, apply, type ReadPending } from "../run/apply.js";
import { writeChangeRecord } from "../run/change-records.js";
import { acquireLock, type Lock } from "../run/lock.js";
import { finish } from "./finish.js";
import type { GlobalOptions } from "./global-options.js";
import type { Io } from "./io.js";
import { createProgress } from "./progress.js";
import type { Session } from "./session.js";

/** A confirmed plan and how its journal comes about: written anew, or gone on with. */
export interface ChangeRun {
  readonly session: Session;
  readonly options: GlobalOptions;
  readonly changeId: string;
  readonly plan: Plan;
  readonly steps: readonly RemainingStep[];
  /** Called when the lock is held; whatever it does is on disk when it returns. */
  readonly openJournal: () => Promise<{
    readonly journal: Journal;
    readonly begin: BeginRecord;
    readonly read: ReadPending;
  }>;
}

/** Takes the lock, journals, applies, verifies, and says what is left to do. Returns the exit code. */
export async function runChange(run: ChangeRun, io: Io): Promise<number> {
  const { session, changeId } = run;
  const lock = await takeLock(session, changeId, io);
  const interrupts = watchInterrupts(() =>
    io.err("\nfinishing what is under way; interrupt once more to end at once\n"),
  );
  try {
    return await runLocked(run, lock, interrupts.isRequested, io);
  } finally {
    interrupts.dispose();
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
  const { session, plan, changeId } = run;
  const { createSecondReader } = await import("../schema/second-reader.js");
  const { journal, begin, read } = await run.openJournal();
  const record = (state: ChangeRecord["state"]) =>
    recordState(run, lock, recordOf({ begin }, journal.directory, state), io);
  await record("running");
  const end = async (state: EndRecord["state"]) => {
    journal.append({ type: "end", state, atMs: SYSTEM_CLOCK.now() });
    await journal.sync();
    await journal.close();
    await record(state);
  };
  const result = await apply({
    etcd: session.etcd,
    schema: session.schema,
    secondReader: createSecondReader(session.descriptor),
    journal,
    plan,
    preconditions: lock.preconditions,
    read,
    isInterrupted,
    onProgress: createProgress(io, countChanges(plan), SYSTEM_CLOCK.now),
  });
  if (result.failure !== undefined) {
    await end(endOf(result.failure, plan, result)).catch(() =>
      io.err("warning: how the run ended could not be recorded\n"),
    );
    throw result.failure;
  }
  return finish({ run, changeId, journal, result, end }, io);
}

/** Other hosts read it; the journal decides, so that a record that cannot be written stops nothing. */
async function recordState({ session }: ChangeRun, lock: Lock, record: ChangeRecord, io: Io): Promise<void> {
  try {
    await writeChangeRecord(session.etcd, record, lock.preconditions);
  } catch (error) {
    if (!(error instanceof EtcdcidrError)) throw error;
    io.err(`warning: the record of this change in etcd could not be written: ${error.explanation.why}\n`);
  }
}

function countChanges({ stages }: Plan): number {
  return stages.flatMap(({ groups }) => groups.flat()).length;
}

function endOf({ code }: EtcdcidrError, plan: Plan, { committed }: ApplyResult): EndRecord["state"] {
  if (code === "in-doubt") return "in-doubt";
  // A resumed change has written something already.
  const isFirstRun = countChanges(plan) === plan.outline.nodes.length;
  if (isFirstRun && committed.size === 0) return "not-written";
  return code === "interrupted" ? "interrupted" : "stopped";
}

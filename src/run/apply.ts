import { EtcdcidrError } from "../errors.js";
import type { DroppedRecord } from "../plan/journal-record.js";
import type { NameWriter } from "../plan/own-writer.js";
import type { Change, Plan, Precondition } from "../plan/plan.js";
import { TXNS_IN_FLIGHT } from "../plan/write-mode.js";
import type { Etcd, Journal } from "../ports.js";
import type { Schema } from "../schema/schema.js";
import type { SecondReader } from "../schema/second-reader.js";
import { cutBatches } from "./cut-batches.js";
import { explainFailure, type HowFar } from "./explain-failure.js";
import { announce, type NumberedBatch, type PendingKey, prepareKeys } from "./prepare.js";
import { type BatchReport, createBatchSender } from "./send-batch.js";

export interface ApplyRequest {
  readonly etcd: Etcd;
  readonly schema: Schema;
  readonly secondReader: SecondReader;
  readonly journal: Journal;
  readonly plan: Plan;
  readonly preconditions: readonly Precondition[];
  /** What an interrupted run has done of the change already. */
  readonly before?: Pick<ApplyResult, "committed" | "dropped">;
  /** Where the bytes come from that the edits go into: the journal at first, etcd after an interruption. */
  readonly read: ReadPending;
  /** Names our own change that has written a Node since it was planned for. */
  readonly nameWriter?: NameWriter;
  /** Whether the run is to end: what is under way is finished, nothing more is begun. */
  readonly isInterrupted: () => boolean;
  /** Called after each Txn with how many keys are settled. */
  readonly onProgress: (settledKeys: number) => void;
}

export type ReadPending = (
  updates: readonly PlannedUpdate[],
  report: BatchReport,
) => Promise<readonly PendingKey[]>;

/** What has become of the changes; `failure` says why it was not all of them. */
export interface ApplyResult {
  /** Key -> revision of the Txn that wrote it. */
  readonly committed: ReadonlyMap<string, bigint>;
  readonly dropped: ReadonlyMap<string, DroppedRecord["reason"]>;
  readonly failure?: EtcdcidrError;
}

/** An update as the plan has it, with the uid of the object it was planned for. */
export interface PlannedUpdate {
  readonly change: Extract<Change, { action: "update" }>;
  readonly uid: string;
}

// Enough keys for one fsync to be cheap, few enough to keep little in memory; one Txn of all or nothing takes fewer.
const ANNOUNCED_AT_ONCE = 128;

/** Sends a plan's changes, each announced in the journal first. Never throws for what etcd answers or does not answer. */
export async function apply(request: ApplyRequest): Promise<ApplyResult> {
  const committed = new Map(request.before?.committed);
  const dropped = new Map(request.before?.dropped);
  const report: BatchReport = {
    committed: (key, revision) => committed.set(key, revision),
    dropped: (key, reason) => dropped.set(key, reason),
    settled: () => request.onProgress(committed.size + dropped.size),
  };
  try {
    await sendAll(request, report);
  } catch (error) {
    if (!(error instanceof EtcdcidrError)) throw error;
    const failure = explainFailure(error, howFar(request, { committed, dropped }));
    return { committed, dropped, failure };
  }
  return { committed, dropped };
}

function howFar({ journal, plan }: ApplyRequest, { committed, dropped }: ApplyResult): HowFar {
  const { nodes } = plan.outline;
  const left = nodes.filter(({ key }) => !committed.has(key) && !dropped.has(key)).map(({ name }) => name);
  return { changeId: journal.changeId, all: nodes.length, written: committed.size, left };
}

async function sendAll(request: ApplyRequest, report: BatchReport): Promise<void> {
  let txns = 0;
  const nextTxn = () => txns++;
  const send = createBatchSender(request, report, nextTxn);
  const limit = request.plan.mode.kind === "one-node-a-transaction" ? TXNS_IN_FLIGHT : 1;
  await inFlight(announcedBatches(request, report, nextTxn), limit, async ({ keys, txn }) => {
    if (request.isInterrupted()) throw interrupted();
    await send(keys, txn);
  });
}

/** The batches in order, each on disk in the journal; the next are made ready and announced while these are on their way. */
async function* announcedBatches(
  request: ApplyRequest,
  report: BatchReport,
  nextTxn: () => number,
): AsyncGenerator<NumberedBatch> {
  const { plan, journal } = request;
  const updates = updatesOf(plan);
  const prepare = async (start: number): Promise<readonly NumberedBatch[]> => {
    if (start >= updates.length) return [];
    const pending = await request.read(updates.slice(start, start + ANNOUNCED_AT_ONCE), report);
    const keys = await prepareKeys(request, pending);
    const batches = cutBatches(keys, plan.mode.kind).map((batch) => ({ keys: batch, txn: nextTxn() }));
    await announce(journal, batches);
    return batches;
  };
  let next = prepare(0);
  try {
    for (let start = 0; start < updates.length; start += ANNOUNCED_AT_ONCE) {
      const batches = await next;
      next = prepare(start + ANNOUNCED_AT_ONCE);
      // Awaited in the next round or at the end; until then a failure must not count as unhandled.
      next.catch(() => undefined);
      yield* batches;
    }
  } finally {
    // Nothing is announced any more once the run has ended.
    await next.catch(() => undefined);
  }
}

function updatesOf({ stages, outline }: Plan): readonly PlannedUpdate[] {
  const uids = new Map(outline.nodes.map(({ key, uid }) => [key, uid]));
  return stages.flatMap(({ groups }) =>
    groups.flat().flatMap((change) => {
      return change.action === "update" ? [{ change, uid: uids.get(change.key) ?? "" }] : [];
    }),
  );
}

function interrupted(): EtcdcidrError {
  return new EtcdcidrError("interrupted", {
    what: "the change was interrupted",
    why: "etcdcidr was asked to end",
    now: "what was under way is finished",
    next: "go on with it, or undo it",
  });
}

/**
 * Runs the task over all items, at most `limit` at once; after a failure none is begun, and those under way are awaited. Of
 * several failures, one that leaves something in doubt is what has to be told.
 */
async function inFlight<Item>(
  items: AsyncIterable<Item>,
  limit: number,
  task: (item: Item) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  const worker = async () => {
    try {
      for await (const item of items) {
        if (failures.length > 0) return;
        await task(item);
      }
    } catch (error) {
      failures.push(error);
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
  if (failures.length > 0) throw failures.find(leavesDoubt) ?? failures[0];
}

function leavesDoubt(error: unknown): boolean {
  return !(error instanceof EtcdcidrError) || error.code === "in-doubt";
}

import { EtcdcidrError } from "../errors.js";
import type { DroppedRecord } from "../plan/journal-record.js";
import type { Change, Plan, Precondition } from "../plan/plan.js";
import { TXNS_IN_FLIGHT } from "../plan/write-mode.js";
import type { Etcd, Journal } from "../ports.js";
import type { Schema } from "../schema/schema.js";
import type { SecondReader } from "../schema/second-reader.js";
import { cutBatches } from "./cut-batches.js";
import { announce, type PendingKey, prepareKeys } from "./prepare.js";
import { type BatchReport, createBatchSender } from "./send-batch.js";

export interface ApplyRequest {
  readonly etcd: Etcd;
  readonly schema: Schema;
  readonly secondReader: SecondReader;
  readonly journal: Journal;
  readonly plan: Plan;
  readonly preconditions: readonly Precondition[];
  /** Where the bytes come from that the edits go into: the journal at first, etcd after an interruption. */
  readonly read: ReadPending;
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

// Enough keys for one fsync to be cheap, few enough to keep little in memory.
const ANNOUNCED_AT_ONCE = 128;

/** Sends a plan's changes, each announced in the journal first. Never throws for what etcd answers or does not answer. */
export async function apply(request: ApplyRequest): Promise<ApplyResult> {
  const committed = new Map<string, bigint>();
  const dropped = new Map<string, DroppedRecord["reason"]>();
  const report: BatchReport = {
    committed: (key, revision) => committed.set(key, revision),
    dropped: (key, reason) => dropped.set(key, reason),
    settled: () => request.onProgress(committed.size + dropped.size),
  };
  try {
    await sendAll(request, report);
  } catch (error) {
    if (!(error instanceof EtcdcidrError)) throw error;
    return {
      committed,
      dropped,
      failure: whatIsTrue(error, request.plan, committed.size),
    };
  }
  return { committed, dropped };
}

/** The same failure, saying what is true of the whole change, of what an earlier run wrote too. */
function whatIsTrue(error: EtcdcidrError, plan: Plan, committed: number): EtcdcidrError {
  const { explanation, code } = error;
  const all = plan.outline.nodes.length;
  const written = all - updatesOf(plan).length + committed;
  if (code === "in-doubt") {
    const now = `${written} of ${all} Nodes are written; of what was sent last it is not known`;
    return new EtcdcidrError(code, { ...explanation, now }, { cause: error });
  }
  if (written === 0) {
    const now = `none of the ${all} Nodes is written`;
    const next = code === "interrupted" ? "run the command again" : explanation.next;
    const kept = code === "interrupted" ? code : "refused";
    return new EtcdcidrError(kept, { ...explanation, now, next }, { cause: error });
  }
  const now = `${written} of ${all} Nodes are written, the others are not`;
  return new EtcdcidrError(
    code === "interrupted" ? code : "stopped",
    { ...explanation, now },
    { cause: error },
  );
}

async function sendAll(request: ApplyRequest, report: BatchReport): Promise<void> {
  const updates = updatesOf(request.plan);
  let txns = 0;
  const nextTxn = () => txns++;
  const send = createBatchSender(request, report, nextTxn);
  const prepareChunk = async (start: number) => {
    const chunk = updates.slice(start, start + ANNOUNCED_AT_ONCE);
    return prepareKeys(request, await request.read(chunk, report));
  };
  let next = prepareChunk(0);
  for (let start = 0; start < updates.length; start += ANNOUNCED_AT_ONCE) {
    const chunk = await next;
    const batches = cutBatches(chunk, request.plan.mode.kind).map((keys) => ({ keys, txn: nextTxn() }));
    await announce(request.journal, batches);
    // The next keys are made ready while these are on their way.
    next = prepareChunk(start + ANNOUNCED_AT_ONCE);
    next.catch(() => undefined);
    const limit = request.plan.mode.kind === "one-node-a-transaction" ? TXNS_IN_FLIGHT : 1;
    await inFlight(batches, limit, async ({ keys, txn }) => {
      if (request.isInterrupted()) throw interrupted(request.journal.changeId);
      await send(keys, txn);
    });
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

function interrupted(changeId: string): EtcdcidrError {
  return new EtcdcidrError("interrupted", {
    what: "the change was interrupted",
    why: "etcdcidr was asked to end",
    now: "what was under way is finished",
    next: `\`etcdcidr resume ${changeId}\` goes on, \`etcdcidr rollback ${changeId}\` undoes what is written`,
  });
}

/** Runs the task over all items, at most `limit` at once; after a failure none is begun, and those under way are awaited. */
async function inFlight<Item>(
  items: readonly Item[],
  limit: number,
  task: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  let failure: unknown;
  const worker = async () => {
    for (const item of waiting) {
      if (failure !== undefined) return;
      try {
        await task(item);
      } catch (error) {
        failure ??= error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  if (failure !== undefined) throw failure;
}

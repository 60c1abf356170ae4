import { EtcdcidrError } from "../errors.js";
import type { DroppedRecord } from "../plan/journal-record.js";
import type { Change, Plan, Precondition } from "../plan/plan.js";
import { TXNS_IN_FLIGHT } from "../plan/write-mode.js";
import type { Etcd, Journal } from "../ports.js";
import type { Schema } from "../schema/schema.js";
import type { SecondReader } from "../schema/second-reader.js";
import { sha256Hex } from "../storage/digest.js";
import { cutBatches } from "./cut-batches.js";
import { announce, type PreparedKey, prepareKeys } from "./prepare.js";
import { createBatchSender } from "./send-batch.js";

export interface ApplyRequest {
  readonly etcd: Etcd;
  readonly schema: Schema;
  readonly secondReader: SecondReader;
  readonly journal: Journal;
  readonly plan: Plan;
  readonly preconditions: readonly Precondition[];
  /** Called after each Txn with how many keys are settled. */
  readonly onProgress: (settledKeys: number) => void;
}

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
  const send = createBatchSender(request, {
    committed: (key, revision) => committed.set(key, revision),
    dropped: (key, reason) => dropped.set(key, reason),
    settled: () => request.onProgress(committed.size + dropped.size),
  });
  try {
    await sendAll(request, send);
  } catch (error) {
    if (!(error instanceof EtcdcidrError)) throw error;
    return {
      committed,
      dropped,
      failure: whatIsTrue(error, committed.size, request.plan.outline.nodes.length),
    };
  }
  return { committed, dropped };
}

/** The same failure, saying what is true of the whole change. */
function whatIsTrue(error: EtcdcidrError, written: number, all: number): EtcdcidrError {
  const { explanation } = error;
  if (error.code === "in-doubt") {
    const now = `${written} of ${all} Nodes are written; of what was sent last it is not known`;
    return new EtcdcidrError("in-doubt", { ...explanation, now }, { cause: error });
  }
  const now =
    written === 0
      ? `none of the ${all} Nodes is written`
      : `${written} of ${all} Nodes are written, the others are not`;
  return new EtcdcidrError(written === 0 ? "refused" : "stopped", { ...explanation, now }, { cause: error });
}

type Send = (batch: readonly PreparedKey[], txn: number) => Promise<void>;

async function sendAll(request: ApplyRequest, send: Send): Promise<void> {
  const updates = updatesOf(request.plan);
  let txn = 0;
  let next = prepareChunk(request, updates.slice(0, ANNOUNCED_AT_ONCE));
  for (let start = 0; start < updates.length; start += ANNOUNCED_AT_ONCE) {
    const chunk = await next;
    const batches = cutBatches(chunk, request.plan.mode.kind).map((keys) => ({ keys, txn: txn++ }));
    await announce(request.journal, batches);
    // The next keys are made ready while these are on their way.
    next = prepareChunk(request, updates.slice(start + ANNOUNCED_AT_ONCE, start + 2 * ANNOUNCED_AT_ONCE));
    next.catch(() => undefined);
    await inFlight(
      batches,
      request.plan.mode.kind === "one-node-a-transaction" ? TXNS_IN_FLIGHT : 1,
      ({ keys, txn: number }) => send(keys, number),
    );
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

async function prepareChunk(
  request: ApplyRequest,
  updates: readonly PlannedUpdate[],
): Promise<readonly PreparedKey[]> {
  const originals = await request.journal.originals(updates.map(({ change }) => change.key));
  return prepareKeys(
    request,
    updates.map((update) => ({
      update,
      modRevision: update.change.modRevision,
      value: checkedOriginal(request.journal, update, originals),
      lostCompares: 0,
    })),
  );
}

/** The way back is what the journal holds, so that and nothing else is what the edits go into. */
function checkedOriginal(
  { directory }: Journal,
  { change }: PlannedUpdate,
  originals: ReadonlyMap<string, Uint8Array>,
): Uint8Array {
  const value = originals.get(change.key);
  if (value !== undefined && sha256Hex(value) === change.sha256) return value;
  throw new EtcdcidrError("journal-unusable", {
    what: `the journal in ${directory} does not hold ${change.key} as it was read`,
    why: value === undefined ? "it has no such original" : "its bytes have another SHA-256",
    now: "this Node is not written",
    next: "check the disk; then run the command again",
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

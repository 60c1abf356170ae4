import { EtcdcidrError } from "../errors.js";
import type { Etcd, TxnOutcome } from "../ports.js";
import type { ApplyRequest } from "./apply.js";
import { readHolder } from "./lock.js";
import { afterLostCompare, type LostCompare, recordAnswer } from "./lost-compare.js";
import { announce, type PendingKey, type PreparedKey, prepareKeys } from "./prepare.js";
import { settle } from "./settle.js";

export interface BatchReport {
  committed(key: string, revision: bigint): void;
  dropped(key: string, reason: "deleted" | "re-created"): void;
  /** The batch has nothing left to do. */
  settled(): void;
}

export type SendBatch = (batch: readonly PreparedKey[], txn: number) => Promise<void>;

const LOSSES_BEFORE_HALVING = 3;
const LOSSES_OF_ONE_KEY = 20;
const UNANSWERED_BEFORE_GIVING_UP = 3;

/** How often this batch was lost or not answered so far. */
interface Attempts {
  readonly lost: number;
  readonly unanswered: number;
}

/**
 * Sends announced batches until every key is written or dropped. Throws an EtcdcidrError that stops the run; its `now`
 * is about this batch alone.
 */
export function createBatchSender(
  request: ApplyRequest,
  report: BatchReport,
  nextTxn: () => number,
): SendBatch {
  const { journal, plan } = request;

  const send = async (batch: readonly PreparedKey[], txn: number, attempts: Attempts): Promise<void> => {
    const outcome = await sendOrSettle(request, batch, txn, attempts);
    if (outcome === "too large") {
      if (batch.length === 1) throw tooLargeAlone(batch);
      if (plan.intent.oneTransaction) throw notAtOnce(batch.length);
      return sendParts(halve(batch), attempts);
    }
    if (outcome.kind === "committed") return commit(batch, txn, outcome.revision);
    const answer = afterLostCompare(request, batch, outcome.current);
    if (outcome.unanswered === 0 && isUntouched(answer, batch)) throw await preconditionLost(request);
    recordAnswer(answer, journal, report);
    if (answer.pending.length === 0) return;
    await retry(answer.pending, attempts, outcome.unanswered);
  };

  const retry = async (
    pending: readonly PendingKey[],
    attempts: Attempts,
    unanswered: number,
  ): Promise<void> => {
    refuseHopeless(pending);
    const lost = attempts.lost + 1;
    const halved = lost >= LOSSES_BEFORE_HALVING && pending.length > 1 && !plan.intent.oneTransaction;
    const prepared = await prepareKeys(request, pending);
    await sendParts(halved ? halve(prepared) : [prepared], {
      lost: halved ? 0 : lost,
      unanswered: attempts.unanswered + unanswered,
    });
  };

  const sendParts = async (parts: readonly (readonly PreparedKey[])[], attempts: Attempts): Promise<void> => {
    for (const keys of parts) {
      const txn = nextTxn();
      await announce(journal, [{ keys, txn }]);
      await send(keys, txn, attempts);
    }
  };

  const commit = (batch: readonly PreparedKey[], txn: number, revision: bigint): void => {
    const keys = batch.map(({ update }) => update.change.key);
    journal.append({ type: "committed", txn, revision, keys });
    for (const key of keys) report.committed(key, revision);
    report.settled();
  };

  return (batch, txn) => send(batch, txn, { lost: 0, unanswered: 0 });
}

type Sent =
  | "too large"
  | Extract<TxnOutcome, { kind: "committed" }>
  | (Extract<TxnOutcome, { kind: "lost" }> & { readonly unanswered: number });

async function sendOrSettle(
  request: ApplyRequest,
  batch: readonly PreparedKey[],
  txn: number,
  { unanswered }: Attempts,
): Promise<Sent> {
  try {
    const outcome = await request.etcd.txn({
      preconditions: request.preconditions,
      operations: batch.map(({ update, modRevision, after }) => ({
        action: "update",
        key: update.change.key,
        modRevision,
        value: after,
      })),
    });
    return outcome.kind === "committed" ? outcome : { ...outcome, unanswered: 0 };
  } catch (error) {
    if (!(error instanceof EtcdcidrError)) throw error;
    if (error.code === "too-large") return "too large";
    if (error.code !== "in-doubt") throw error;
    const outcome = await settle(request, batch, txn, error);
    if (outcome.kind === "committed") return outcome;
    if (unanswered + 1 >= UNANSWERED_BEFORE_GIVING_UP) throw error;
    return { ...outcome, unanswered: 1 };
  }
}

function isUntouched({ pending }: LostCompare, batch: readonly PreparedKey[]): boolean {
  return pending.length === batch.length && pending.every((key, index) => key === batch[index]);
}

function halve<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
}

function refuseHopeless(pending: readonly PendingKey[]): void {
  const hopeless = pending.find(({ lostCompares }) => lostCompares >= LOSSES_OF_ONE_KEY);
  if (hopeless !== undefined) throw neverStill(hopeless.update.change.key);
}

function neverStill(key: string): EtcdcidrError {
  return new EtcdcidrError("stopped", {
    what: `cannot write ${key}`,
    why: `something else wrote it ${LOSSES_OF_ONE_KEY} times between our read and our write`,
    now: "it has its old blocks",
    next: "find what writes this Node and stop it",
  });
}

/** etcd says no although every key is at the revision that was compared with: the lock is no longer this run's. */
async function preconditionLost({ etcd }: ApplyRequest): Promise<EtcdcidrError> {
  return new EtcdcidrError("stopped", {
    what: "the lock was lost",
    why: `this run's lease has ended; ${await lockNow(etcd)}`,
    now: "the last Txn wrote nothing",
    next: "see that no other run is under way",
  });
}

async function lockNow(etcd: Etcd): Promise<string> {
  try {
    const holder = await readHolder(etcd);
    return holder === undefined ? "nobody holds it now" : `it is held by ${holder} now`;
  } catch (error) {
    if (!(error instanceof EtcdcidrError)) throw error;
    return "who holds it now could not be read";
  }
}

function tooLargeAlone(batch: readonly PreparedKey[]): EtcdcidrError {
  return new EtcdcidrError("stopped", {
    what: `cannot write ${batch.map(({ update }) => update.change.key).join()}`,
    why: "even alone it is more than etcd takes at once",
    now: "it has its old blocks",
    next: "raise etcd's --max-request-bytes",
  });
}

function notAtOnce(keys: number): EtcdcidrError {
  return new EtcdcidrError("stopped", {
    what: `cannot write ${keys} Nodes in one transaction`,
    why: "etcd does not take as much at once (its --max-txn-ops or --max-request-bytes is lower than usual)",
    now: "none of them is written",
    next: "leave out --one-transaction",
  });
}

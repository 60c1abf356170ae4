import { openSpool } from "../adapters/spool-file.js";
import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import type { JournaledChange } from "../plan/journaled-change.js";
import { planRestoreUnreadable } from "../plan/restore-unreadable.js";
import { isOfCluster, standingChanges } from "../plan/select-change.js";
import { findCluster } from "../run/find-cluster.js";
import { gather } from "../run/gather.js";
import { readHistory } from "../run/history.js";
import { readOriginal } from "../run/read-original.js";
import { pendingFromJournal } from "../run/read-pending.js";
import { sha256Hex } from "../storage/digest.js";
import { formatOf } from "../storage/format.js";
import type { KeyValue } from "../storage/key-value.js";
import { executePlan } from "./execute-plan.js";
import type { GlobalOptions } from "./global-options.js";
import type { Io } from "./io.js";
import { refuseUnfinished, waitForOtherRun } from "./refuse-unfinished.js";
import { journalStore, openSession, type Session } from "./session.js";

export interface RestoreRequest {
  readonly key: string;
  /** Whose journal has the bytes; absent: the newest that has the key. */
  readonly changeId: string | undefined;
  readonly options: GlobalOptions & { readonly dryRun: boolean };
}

/** Puts a journal's bytes in the place of a value that nobody can decode. Returns the exit code. */
export async function restoreUnreadable({ key, changeId, options }: RestoreRequest, io: Io): Promise<number> {
  const store = journalStore(options);
  const session = await openSession(options, io);
  const spool = await openSpool();
  try {
    if (!options.dryRun) await waitForOtherRun(session, io);
    const history = await readHistory(store);
    const source = changeId ?? (await newestWith(session, history, key));
    const original = await readOriginal(store, source, key);
    // A half-done change is about this very key, perhaps because it could not be read: resume it afterwards.
    const concerning = history.map(({ begin }) => begin.changeId);
    if (!options.dryRun) await refuseUnfinished(session, history, concerning);
    const readSet = await gather(session);
    const now = await valueNow(session, key, readSet.revision);
    await spool.add(key, now.value);
    const intent = {
      operation: "restore-unreadable" as const,
      nowMs: Date.now(),
      prefix: session.prefix,
      accept: options.accept,
      oneTransaction: false,
      changeId: source,
      key,
    };
    const standing = standingChanges(history).find(({ begin }) => begin.changeId === source);
    const plan = planRestoreUnreadable(intent, {
      readSet,
      ...(standing === undefined ? {} : { movedTo: standing.begin.plan.families }),
      now: {
        modRevision: now.modRevision,
        sha256: sha256Hex(now.value),
        bytes: now.value.length,
        format: formatOf(now.value),
      },
      original: { modRevision: original.modRevision, object: session.schema.decode(key, original.value) },
    });
    const { dryRun } = options;
    const read = pendingFromJournal(original.value);
    return await executePlan({ session, options, plan, readSet, store, spool, concerning, dryRun, read }, io);
  } finally {
    await spool.close();
    session.close();
  }
}

async function newestWith(
  session: Session,
  history: readonly JournaledChange[],
  key: string,
): Promise<string> {
  const { cluster } = await findCluster(session);
  const change = history.findLast((each) => isOfCluster(each, cluster) && each.keys.has(key));
  if (change !== undefined) return change.begin.changeId;
  throw new EtcdcidrError("not-found", {
    what: `cannot restore ${key}`,
    why: "no journal here of this cluster has that key",
    now: NOTHING_WRITTEN,
    next: "give the whole key, as /registry/minions/<name>; or take the value from an etcd snapshot",
  });
}

async function valueNow({ etcd }: Session, key: string, revision: bigint): Promise<KeyValue> {
  const { keyValues } = await etcd.range({ key, revision });
  const [now] = keyValues;
  if (now !== undefined) return now;
  throw new EtcdcidrError("not-found", {
    what: `cannot restore ${key}`,
    why: "etcd holds no such key any more: its Node was deleted",
    now: NOTHING_WRITTEN,
    next: "nothing: a kubelet that is still there registers its Node again",
  });
}

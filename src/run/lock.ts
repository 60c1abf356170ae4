import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import { LOCK_KEY, type LockHolder, parseLockHolder, toJsonBytes } from "../plan/lock-holder.js";
import type { Precondition } from "../plan/plan.js";
import type { Clock, Etcd, Host, TxnOperation } from "../ports.js";
import type { KeyValue } from "../storage/key-value.js";

export interface Lock {
  /** Belongs into every Txn: a run that has lost the lock cannot write any more. */
  readonly preconditions: readonly Precondition[];
  release(): Promise<void>;
}

export interface LockRequest {
  readonly etcd: Etcd;
  readonly clock: Clock;
  readonly host: Host;
  readonly changeId: string;
  /** Told once when another holder has to be waited for. */
  readonly say: (text: string) => void;
}

const TTL_SECONDS = 15;
const RENEWED_EVERY_MS = 5000;
const ASKED_EVERY_MS = 1000;
const WAITED_SECONDS = TTL_SECONDS + 2;

/**
 * Takes the lock with a lease of 15 s, which a dead holder cannot renew. A holder that is known to be dead is replaced by
 * compare-and-swap; any other is given its lease's time. Throws `blocked` naming the holder that is still there then.
 */
export async function acquireLock(request: LockRequest): Promise<Lock> {
  const { etcd, clock } = request;
  const lease = await etcd.grantLease(TTL_SECONDS);
  // From here on, since waiting for another holder may take as long as the lease.
  const stop = clock.every(RENEWED_EVERY_MS, async () => {
    // A renewal that fails costs nothing yet; when the lease ends, the next Txn's compare is lost.
    await etcd.keepLeaseAlive(lease).catch(() => undefined);
  });
  const release = async () => {
    stop();
    // A lease that cannot be revoked ends by itself.
    await etcd.revokeLease(lease).catch(() => undefined);
  };
  try {
    return { preconditions: [{ key: LOCK_KEY, modRevision: await take(request, lease) }], release };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Time is counted in sleeps: the wall clock may jump. */
async function take(request: LockRequest, lease: bigint): Promise<bigint> {
  const { etcd, clock, host, say } = request;
  const value = toJsonBytes(holderOf(request));
  for (let waitedMs = 0; ; ) {
    await write(etcd, { action: "create", key: LOCK_KEY, value, lease });
    const current = await readLock(etcd);
    if (current === undefined) continue;
    if (current.lease === lease) return current.modRevision;
    const holder = parseLockHolder(current.value);
    if (holder !== undefined && isDead(holder, host)) {
      const { modRevision } = current;
      await write(etcd, { action: "update", key: LOCK_KEY, modRevision, value, lease });
      continue;
    }
    if (waitedMs >= WAITED_SECONDS * 1000) throw held(holder);
    if (waitedMs === 0)
      say(`the lock is held by ${describe(holder)}; waiting up to ${WAITED_SECONDS} s for it to end`);
    await clock.sleep(ASKED_EVERY_MS);
    waitedMs += ASKED_EVERY_MS;
  }
}

function holderOf({ changeId, host, clock }: LockRequest): LockHolder {
  const { name, bootId, pid, user } = host;
  return { changeId, host: name, bootId, pid, user, sinceMs: clock.now() };
}

/** Whether it was written is read afterwards: the lease tells, also where there was no answer. */
async function write(etcd: Etcd, operation: TxnOperation): Promise<void> {
  try {
    await etcd.txn({ operations: [operation], preconditions: [] });
  } catch (error) {
    if (!(error instanceof EtcdcidrError) || error.code !== "in-doubt") throw error;
  }
}

async function readLock(etcd: Etcd): Promise<KeyValue | undefined> {
  const { keyValues } = await etcd.range({ key: LOCK_KEY });
  return keyValues[0];
}

/** Only of a process of this host, since its last boot, can it be known: two hosts may have one name. */
function isDead(holder: LockHolder, host: Host): boolean {
  if (holder.host !== host.name || holder.bootId !== host.bootId || host.bootId === "") return false;
  return !host.isAlive(holder.pid);
}

/** Who holds the lock, in words; undefined when nobody does. */
export async function readHolder(etcd: Etcd): Promise<string | undefined> {
  const current = await readLock(etcd);
  return current === undefined ? undefined : describe(parseLockHolder(current.value));
}

function describe(holder: LockHolder | undefined): string {
  if (holder === undefined) return `a value of ${LOCK_KEY} that etcdcidr did not write`;
  const { changeId, user, host, pid, sinceMs } = holder;
  const since = new Date(sinceMs).toISOString().replace(/\.\d+Z$/, "Z");
  return `change ${changeId} of ${user}@${host}, pid ${pid}, since ${since}`;
}

function held(holder: LockHolder | undefined): EtcdcidrError {
  return new EtcdcidrError("blocked", {
    what: "another run holds the lock",
    why: `it is ${describe(holder)}, and it has not ended within ${WAITED_SECONDS} s`,
    now: NOTHING_WRITTEN,
    next: "wait until that run has ended, then run the command again",
  });
}

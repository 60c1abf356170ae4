import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import { LOCK_KEY, type LockHolder, parseLockHolder, toJsonBytes } from "../plan/lock-holder.js";
import type { Precondition } from "../plan/plan.js";
import type { Clock, Etcd, Host } from "../ports.js";
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

/**
 * Takes the lock with a lease of 15 s, which a dead holder cannot renew. A holder that is known to be dead is replaced by
 * compare-and-swap; any other is given its lease's time. Throws `blocked` naming the holder that is still there then.
 */
export async function acquireLock(request: LockRequest): Promise<Lock> {
  const { etcd, clock } = request;
  const lease = await etcd.grantLease(TTL_SECONDS);
  try {
    const modRevision = await take(request, lease);
    const stop = clock.every(RENEWED_EVERY_MS, async () => {
      // A renewal that fails costs nothing yet; when the lease ends, the next Txn's compare is lost.
      await etcd.keepLeaseAlive(lease).catch(() => undefined);
    });
    return {
      preconditions: [{ key: LOCK_KEY, modRevision }],
      release: async () => {
        stop();
        // A lease that cannot be revoked ends by itself.
        await etcd.revokeLease(lease).catch(() => undefined);
      },
    };
  } catch (error) {
    await etcd.revokeLease(lease).catch(() => undefined);
    throw error;
  }
}

async function take(request: LockRequest, lease: bigint): Promise<bigint> {
  const { etcd, clock, host, changeId } = request;
  const self = {
    changeId,
    host: host.name,
    bootId: host.bootId,
    pid: host.pid,
    user: host.user,
    sinceMs: clock.now(),
  };
  const value = toJsonBytes(self);
  const deadlineMs = clock.now() + (TTL_SECONDS + 2) * 1000;
  for (let told = false; ; ) {
    const created = await write(etcd, { action: "create", key: LOCK_KEY, value, lease });
    if (created !== undefined) return created;
    const current = await readLock(etcd);
    if (current === undefined) continue;
    const holder = parseLockHolder(current.value);
    if (holder !== undefined && isDead(holder, host)) {
      const { modRevision } = current;
      const taken = await write(etcd, { action: "update", key: LOCK_KEY, modRevision, value, lease });
      if (taken !== undefined) return taken;
      continue;
    }
    if (clock.now() >= deadlineMs) throw held(holder);
    if (!told)
      request.say(
        `the lock is held by ${describe(holder)}; waiting up to ${TTL_SECONDS + 2} s for it to end`,
      );
    told = true;
    await clock.sleep(ASKED_EVERY_MS);
  }
}

/** The lock's new revision, or undefined when somebody else was first. */
async function write(
  etcd: Etcd,
  operation: Parameters<Etcd["txn"]>[0]["operations"][number],
): Promise<bigint | undefined> {
  const outcome = await etcd.txn({ operations: [operation], preconditions: [] });
  return outcome.kind === "committed" ? outcome.revision : undefined;
}

async function readLock(etcd: Etcd): Promise<KeyValue | undefined> {
  const { keyValues } = await etcd.range({ key: LOCK_KEY });
  return keyValues[0];
}

/** Only of a process of this host can it be known. */
function isDead(holder: LockHolder, host: Host): boolean {
  if (holder.host !== host.name) return false;
  return holder.bootId !== host.bootId || !host.isAlive(holder.pid);
}

function describe(holder: LockHolder | undefined): string {
  if (holder === undefined) return `a value of ${LOCK_KEY} that etcdcidr did not write`;
  const { changeId, user, host, pid, sinceMs } = holder;
  return `change ${changeId} of ${user}@${host}, pid ${pid}, since ${new Date(sinceMs).toISOString().replace(/\.\d+Z$/, "Z")}`;
}

function held(holder: LockHolder | undefined): EtcdcidrError {
  return new EtcdcidrError("blocked", {
    what: "another run holds the lock",
    why: `it is ${describe(holder)}, and its lease is being renewed`,
    now: NOTHING_WRITTEN,
    next: "wait until that run has ended, then run the command again",
  });
}

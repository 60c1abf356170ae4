import { EtcdcidrError, NOTHING_BY_THIS_RUN } from "../errors.js";
import { LOCK_KEY, type LockHolder, parseLockHolder } from "../plan/lock-holder.js";
import { toJsonBytes } from "../plan/own-json.js";
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
  /** Told when another holder has to be waited for. */
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

export type WaitRequest = Pick<LockRequest, "etcd" | "clock" | "host" | "say">;

/**
 * Waits for the run that holds the lock: what it has written so far is no state to judge, or to plan from. Returns whether there
 * was one. Throws `blocked` naming it when it is still there after the time of a lease.
 */
export async function waitForHolder(request: WaitRequest): Promise<boolean> {
  const patience = createPatience(request);
  for (let waited = false; ; waited = true) {
    const current = await readLock(request.etcd);
    if (current === undefined) return waited;
    const holder = parseLockHolder(current.value);
    if (holder !== undefined && lifeOf(holder, request.host) === "dead") return waited;
    await patience(holder);
  }
}

/** Sleeps a second at a time, and says at first for whom. Time is counted in sleeps: the wall clock may jump. */
function createPatience({
  clock,
  host,
  say,
}: WaitRequest): (holder: LockHolder | undefined) => Promise<void> {
  let waitedMs = 0;
  return async (holder) => {
    if (waitedMs >= WAITED_SECONDS * 1000) throw underWay(holder, host);
    if (waitedMs === 0)
      say(`the lock is held by ${describeHolder(holder)}; waiting up to ${WAITED_SECONDS} s for it to end`);
    await clock.sleep(ASKED_EVERY_MS);
    waitedMs += ASKED_EVERY_MS;
  };
}

async function take(request: LockRequest, lease: bigint): Promise<bigint> {
  const { etcd, host } = request;
  const value = toJsonBytes(holderOf(request));
  const patience = createPatience(request);
  for (;;) {
    await write(etcd, { action: "create", key: LOCK_KEY, value, lease });
    const current = await readLock(etcd);
    if (current === undefined) continue;
    if (current.lease === lease) return current.modRevision;
    const holder = parseLockHolder(current.value);
    if (holder !== undefined && lifeOf(holder, host) === "dead") {
      const { modRevision } = current;
      await write(etcd, { action: "update", key: LOCK_KEY, modRevision, value, lease });
      continue;
    }
    await patience(holder);
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
export function lifeOf(holder: LockHolder, host: Host): "alive" | "dead" | "unknown" {
  if (holder.host !== host.name || holder.bootId !== host.bootId || host.bootId === "") return "unknown";
  return host.isAlive(holder.pid) ? "alive" : "dead";
}

/** Who holds the lock, in words; undefined when nobody does. */
export async function readHolder(etcd: Etcd): Promise<string | undefined> {
  const current = await readLock(etcd);
  return current === undefined ? undefined : describeHolder(parseLockHolder(current.value));
}

/** Who it is, in words; `undefined` stands for a value that this tool did not write. */
export function describeHolder(holder: LockHolder | undefined): string {
  if (holder === undefined) return `a value of ${LOCK_KEY} that etcdcidr did not write`;
  const { changeId, user, host, pid, sinceMs } = holder;
  const since = new Date(sinceMs).toISOString().replace(/\.\d+Z$/, "Z");
  return `change ${changeId} of ${user}@${host}, pid ${pid}, since ${since}`;
}

/** Somebody else is at it: who, as far as can be known whether that still lives, and that it has to be waited for. */
export function underWay(holder: LockHolder | undefined, host: Host): EtcdcidrError {
  const isAlive = holder !== undefined && lifeOf(holder, host) === "alive";
  const lives = isAlive ? "its process is alive" : `it runs, or has ended less than ${TTL_SECONDS} s ago`;
  return new EtcdcidrError("blocked", {
    what: "another run is under way",
    why: `the lock is held by ${describeHolder(holder)}; ${lives}`,
    now: NOTHING_BY_THIS_RUN,
    next: "wait until it has ended, then run the command again; `etcdcidr changes` tells how far it is",
  });
}

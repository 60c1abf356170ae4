import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openEtcd } from "../../src/adapters/etcd.js";
import { EtcdcidrError } from "../../src/errors.js";
import { LOCK_KEY, type LockHolder } from "../../src/plan/lock-holder.js";
import { toJsonBytes } from "../../src/plan/own-json.js";
import type { Clock, Etcd, Host } from "../../src/ports.js";
import { acquireLock, type Lock, type LockRequest, waitForHolder } from "../../src/run/lock.js";
import { forgetOwnKeys, ownKeys } from "../crash/scene.js";
import { type EtcdServer, startEtcd } from "../harness/etcd.js";

let server: EtcdServer;
let etcd: Etcd;
beforeAll(async () => {
  server = await startEtcd();
  etcd = openEtcd({ endpoint: server.clientUrl, dialTimeoutMs: 5000, commandTimeoutMs: 5000 });
});
afterAll(async () => {
  etcd.close();
  await server.stop();
});
beforeEach(() => forgetOwnKeys(server.endpoint));

const NOW = Date.UTC(2026, 11, 1, 11, 30);
const HOST: Host = {
  name: "kube-1",
  bootId: "boot-1",
  pid: 100,
  user: "root",
  isAlive: (pid) => pid === 200,
};
const SELF: LockHolder = {
  changeId: "20261201-113000-aaaaaa",
  host: "kube-1",
  bootId: "boot-1",
  pid: 100,
  user: "root",
  sinceMs: NOW,
};
const OTHER: LockHolder = { ...SELF, changeId: "20261201-112900-bbbbbb", pid: 200, user: "ann" };

/** Time passes in sleeps alone; the wall clock shows what `now` says. */
interface FakeClock extends Clock {
  readonly sleeps: number[];
  readonly renewals: (() => Promise<void>)[];
}

function fakeClock(onSleep: (sleeps: number) => Promise<void> = async () => {}, now = () => NOW): FakeClock {
  const sleeps: number[] = [];
  const renewals: (() => Promise<void>)[] = [];
  return {
    sleeps,
    renewals,
    now,
    async sleep(ms) {
      sleeps.push(ms);
      await onSleep(sleeps.length);
    },
    every(_ms, task) {
      renewals.push(task);
      return () => void renewals.splice(renewals.indexOf(task), 1);
    },
  };
}

interface Attempt {
  readonly lock: Promise<Lock>;
  readonly clock: FakeClock;
  readonly said: string[];
}

function attempt(request: Partial<LockRequest> & { clock?: FakeClock } = {}): Attempt {
  const { clock = fakeClock() } = request;
  const said: string[] = [];
  const say = (text: string) => said.push(text);
  const lock = acquireLock({ etcd, host: HOST, changeId: SELF.changeId, say, ...request, clock });
  return { lock, clock, said };
}

/** What a run does before it reads anything. */
function wait(clock: FakeClock): Promise<boolean> {
  return waitForHolder({ etcd, clock, host: HOST, say: () => undefined });
}

/** Puts a holder's lock on a lease that nobody renews and that does not end by itself here. */
async function holdAs(value: LockHolder | string): Promise<{ lease: bigint; modRevision: bigint }> {
  const lease = await etcd.grantLease(600);
  const bytes = typeof value === "string" ? Buffer.from(value) : toJsonBytes(value);
  await etcd.txn({
    operations: [{ action: "create", key: LOCK_KEY, value: bytes, lease }],
    preconditions: [],
  });
  const [kept] = (await etcd.range({ key: LOCK_KEY })).keyValues;
  return { lease, modRevision: kept?.modRevision ?? 0n };
}

const stored = async () => (await etcd.range({ key: LOCK_KEY })).keyValues[0];
const value = async () => (await ownKeys(server.endpoint))[LOCK_KEY];

test("a free lock: the key names the holder and hangs on a lease of 15 s; released, it is gone", async () => {
  const { lock, clock, said } = attempt();
  const { preconditions, release } = await lock;
  expect(await value()).toEqual(SELF);
  const kept = await stored();
  expect(preconditions).toEqual([{ key: LOCK_KEY, modRevision: kept?.modRevision }]);
  expect(await etcd.keepLeaseAlive(kept?.lease ?? 0n)).toBe(15);
  expect([clock.sleeps, said, clock.renewals.length]).toEqual([[], [], 1]);
  await release();
  expect(await stored()).toBeUndefined();
  expect(clock.renewals).toEqual([]);
});

test("a holder of this host whose process is dead is replaced at once, by compare-and-swap", async () => {
  const { modRevision, lease } = await holdAs({ ...OTHER, pid: 300 });
  expect(await wait(fakeClock())).toBe(false);
  const { lock, clock, said } = attempt();
  const { preconditions, release } = await lock;
  expect([clock.sleeps, said]).toEqual([[], []]);
  expect(await value()).toEqual(SELF);
  expect(preconditions[0]?.modRevision).toBeGreaterThan(modRevision);
  // The dead one's lease takes nothing with it any more.
  await etcd.revokeLease(lease);
  expect(await value()).toEqual(SELF);
  await release();
});

describe("a holder that may live", () => {
  const UNKNOWN = "it runs, or has ended less than 15 s ago";
  test.each<{ holder: string; value: LockHolder | string; names: string; life: string }>([
    {
      holder: "a living process of this host",
      value: OTHER,
      names: "change 20261201-112900-bbbbbb of ann@kube-1, pid 200, since 2026-12-01T11:30:00Z",
      life: "its process is alive",
    },
    {
      holder: "another host",
      value: { ...OTHER, host: "kube-2", pid: 300 },
      names: "change 20261201-112900-bbbbbb of ann@kube-2, pid 300, since 2026-12-01T11:30:00Z",
      life: UNKNOWN,
    },
    {
      holder: "a host of this name with another boot id",
      value: { ...OTHER, bootId: "boot-2", pid: 300 },
      names: "change 20261201-112900-bbbbbb of ann@kube-1, pid 300, since 2026-12-01T11:30:00Z",
      life: UNKNOWN,
    },
    {
      holder: "something else",
      value: "mine",
      names: "a value of /etcdcidr/lock that etcdcidr did not write",
      life: UNKNOWN,
    },
  ])("$holder: is waited for, then named", async ({ value: held, names, life }) => {
    const { modRevision } = await holdAs(held);
    const { lock, clock, said } = attempt();
    const underWay = {
      code: "blocked",
      explanation: {
        what: "another run is under way",
        why: `the lock is held by ${names}; ${life}`,
        now: "this run has written nothing",
        next: "wait until it has ended, then run the command again; `etcdcidr changes` tells how far it is",
      },
    };
    await expect(lock).rejects.toMatchObject(underWay);
    expect(clock.sleeps).toEqual(Array(17).fill(1000));
    expect(said).toEqual([`the lock is held by ${names}; waiting up to 17 s for it to end`]);
    expect((await stored())?.modRevision).toBe(modRevision);
    expect(clock.renewals).toEqual([]);
    const waiting = fakeClock();
    await expect(wait(waiting)).rejects.toMatchObject(underWay);
    expect(waiting.sleeps).toEqual(Array(17).fill(1000));
  });

  test("is waited for before anything is planned, until its lease ends", async () => {
    const { lease } = await holdAs({ ...OTHER, host: "kube-2" });
    const clock = fakeClock(async (sleeps) => {
      await [() => etcd.revokeLease(lease)][sleeps - 3]?.();
    });
    expect(await wait(clock)).toBe(true);
    expect(clock.sleeps).toHaveLength(3);
    expect(await wait(fakeClock())).toBe(false);
  });

  test("and whose lease ends: the lock is taken then", async () => {
    const { lease } = await holdAs({ ...OTHER, host: "kube-2" });
    const clock = fakeClock(async (sleeps) => {
      await [() => etcd.revokeLease(lease)][sleeps - 3]?.();
    });
    const { release } = await attempt({ clock }).lock;
    expect(clock.sleeps).toHaveLength(3);
    expect(await value()).toEqual(SELF);
    await release();
  });

  test("the own lease is renewed while it is waited for", async () => {
    const { lease } = await holdAs({ ...OTHER, host: "kube-2" });
    const renewed: bigint[] = [];
    const watched: Etcd = {
      ...etcd,
      keepLeaseAlive: async (own) => {
        renewed.push(own);
        return etcd.keepLeaseAlive(own);
      },
    };
    const clock: FakeClock = fakeClock(async () => {
      await Promise.all(clock.renewals.map((renew) => renew()));
      await etcd.revokeLease(lease);
    });
    const { release } = await attempt({ etcd: watched, clock }).lock;
    expect(renewed).toEqual([(await stored())?.lease]);
    await release();
  });

  test("jumps of the wall clock change nothing", async () => {
    await holdAs({ ...OTHER, host: "kube-2" });
    let jumps = 0;
    const clock = fakeClock(
      async () => {},
      () => NOW + (jumps++ % 2 === 0 ? -1 : 1) * 86_400_000 * jumps,
    );
    await expect(attempt({ clock }).lock).rejects.toMatchObject({ code: "blocked" });
    expect(clock.sleeps).toHaveLength(17);
  });
});

test("two at once: one has it; the other waits until that one has ended", async () => {
  const host = { ...HOST, isAlive: () => true };
  const held: string[] = [];
  let endFirst: () => void = () => {};
  const firstMayEnd = new Promise<void>((resolve) => {
    endFirst = resolve;
  });
  const run = async (changeId: string): Promise<void> => {
    const clock = fakeClock(async () => endFirst());
    const { release } = await attempt({ changeId, host, clock }).lock;
    held.push(changeId);
    expect(await value()).toMatchObject({ changeId });
    await firstMayEnd;
    await release();
  };
  await Promise.all([run("20261201-113000-000001"), run("20261201-113000-000002")]);
  expect(held.toSorted()).toEqual(["20261201-113000-000001", "20261201-113000-000002"]);
});

describe("a Txn for the lock that gets no answer", () => {
  const inDoubt = new EtcdcidrError("in-doubt", { what: "a Txn", why: "it broke", now: "-", next: "-" });

  test("but was done: it is found by its lease", async () => {
    const deaf: Etcd = {
      ...etcd,
      txn: async (request) => {
        await etcd.txn(request);
        throw inDoubt;
      },
    };
    const { preconditions, release } = await attempt({ etcd: deaf }).lock;
    expect(preconditions[0]?.modRevision).toBe((await stored())?.modRevision);
    await release();
  });

  test("and was not done: it is sent again", async () => {
    let sent = 0;
    const deaf: Etcd = {
      ...etcd,
      txn: async (request) => {
        sent += 1;
        return sent < 3 ? Promise.reject(inDoubt) : etcd.txn(request);
      },
    };
    const { release } = await attempt({ etcd: deaf }).lock;
    expect(sent).toBe(3);
    expect(await value()).toEqual(SELF);
    await release();
  });
});

test("a lock that cannot be asked for leaves no lease behind", async () => {
  const revoked: bigint[] = [];
  const refused = new EtcdcidrError("unreachable", { what: "a read", why: "gone", now: "-", next: "-" });
  const broken: Etcd = {
    ...etcd,
    range: async () => {
      throw refused;
    },
    revokeLease: async (lease) => {
      revoked.push(lease);
      await etcd.revokeLease(lease);
    },
  };
  await expect(attempt({ etcd: broken }).lock).rejects.toBe(refused);
  expect(revoked).toHaveLength(1);
  expect(await stored()).toBeUndefined();
});

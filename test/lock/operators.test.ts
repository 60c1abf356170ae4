import { hostname, userInfo } from "node:os";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isOpen } from "../../src/plan/change-record.js";
import { LOCK_KEY } from "../../src/plan/lock-holder.js";
import { undisturbed } from "../crash/crash.js";
import {
  CHANGE,
  changesIn,
  forgetOwnKeys,
  openScene,
  recordsIn,
  runnerOf,
  type Scene,
} from "../crash/scene.js";
import type { Lived } from "../harness/crash.js";
import { type CliProcess, type Relay, startCli, startRelay } from "../harness/crash-process.js";
import { type EtcdServer, openClient, startEtcd } from "../harness/etcd.js";
import { temporaryFolder } from "../harness/folder.js";

let server: EtcdServer;
beforeAll(async () => {
  server = await startEtcd();
});
afterAll(() => server.stop());

interface Stage {
  readonly scene: Scene;
  readonly relay: Relay;
  readonly start: (argv: readonly string[]) => CliProcess;
}

/** 40 Nodes, 16 in flight, behind a relay. */
async function openStage(): Promise<Stage> {
  await undisturbed(server.endpoint, "in flight", 40);
  await forgetOwnKeys(server.endpoint);
  const scene = await openScene(server.endpoint, "in flight", 40);
  const relay = await startRelay(server.endpoint);
  const { prefix } = scene.cluster;
  const place = ["--prefix", prefix, "--journal-dir", scene.directory, "--command-timeout", "60s"];
  return { scene, relay, start: (argv) => startCli([...argv, "--endpoints", relay.endpoint, ...place]) };
}

const key = ({ cluster }: Scene) => `${cluster.prefix}/minions/node-5`;

/** Returns when the Txn that is not answered has been done. */
async function landed({ cluster }: Scene): Promise<void> {
  await expect
    .poll(async () => (await cluster.nodes()).get("node-5")?.podCidr, { timeout: 20_000 })
    .toBe("10.212.2.128/25");
}

/** Ends the lease that the lock hangs on, as its time would. */
async function endLease(): Promise<void> {
  const client = openClient(server.endpoint);
  const { kvs } = await client.kv.range({ key: Buffer.from(LOCK_KEY) });
  await client.leaseClient.leaseRevoke({ ID: String(kvs[0]?.lease) });
  client.close();
}

test("two operators at once: one writes; the other waits, says for whom, and never mixes its blocks in", async () => {
  const { scene, relay, start } = await openStage();
  const held = relay.hold(key(scene), "answer");
  const operators = [start(CHANGE), start(CHANGE.with(1, "10.213.0.0/16"))];
  await held;
  const [waiting] = await Promise.race(
    operators.map(async (operator) => {
      await operator.said("the lock is held by change ");
      return [operator];
    }),
  );
  const [holder] = operators.filter((operator) => operator !== waiting);
  const [id = ""] = changesIn(scene.directory);
  expect(waiting?.err()).toMatch(
    new RegExp(
      `the lock is held by change ${id} of \\S+@\\S+, pid ${holder?.pid}, since \\S+Z; waiting up to 17 s`,
    ),
  );
  relay.release();
  expect(await holder?.ended).toBe(0);
  // Whether it has waited before its plan was made, or with a plan that is stale then.
  expect([0, 3]).toContain(await waiting?.ended);
  const nodes = await scene.cluster.nodes();
  expect(new Set([...nodes.values()].map(({ podCidr }) => podCidr?.slice(0, 7))).size).toBe(1);
  expect(new Set([...nodes.values()].map(({ podCidr }) => podCidr)).size).toBe(40);
});

test("a second operator in mid-run: `changes` says that it runs; a new change waits for it and finds all done", async () => {
  const { scene, relay, start } = await openStage();
  const held = relay.hold(key(scene), "answer");
  const run = start(CHANGE);
  await held;
  await landed(scene);
  const [id = ""] = changesIn(scene.directory);
  const here = start(["changes", "-o", "json"]);
  expect(await here.ended).toBe(0);
  expect(JSON.parse(here.out())).toMatchObject([{ id, state: "running", nodesInAll: 40, here: true }]);
  const there = runnerOf(scene.cluster, temporaryFolder());
  expect((await there(["changes"], { host: "kube-2" })).out).toMatch(/ running +0 to 40 of 40 +on /);
  const operators = [start(["resume", "--yes"]), start(["rollback", id, "--dry-run"]), start(CHANGE)];
  const [resume, , change] = operators;
  const holder = `the lock is held by change ${id} of ${userInfo().username}@${hostname()}, pid ${run.pid}, since `;
  await Promise.all([resume?.said(holder), change?.said(holder)]);
  relay.release();
  expect(await run.ended).toBe(0);
  expect(await Promise.all(operators.map(({ ended }) => ended))).toEqual([0, 0, 0]);
  expect(resume?.err()).toContain("nothing to resume: ");
  expect(change?.err()).toContain("nothing to do: no Node needs an edit\n");
});

test("a second operator who has waited for as long as a lease: told who is at it, and that it lives", async () => {
  const scene = await openScene(server.endpoint, "in flight", 3);
  const second: Lived[] = [];
  const first = await scene.run(CHANGE, {
    beforeTxn: async ({ operations }) => {
      const isTurn = operations[0]?.key.endsWith("/node-2") === true;
      const others = isTurn ? [scene.run(CHANGE.with(1, "10.213.0.0/16"))] : [];
      second.push(...(await Promise.all(others)));
    },
  });
  expect(first.exitCode).toBe(0);
  expect(second.map(({ exitCode, txns }) => [exitCode, txns])).toEqual([[3, []]]);
  expect(second[0]?.err).toMatch(
    /error\[blocked\]: another run is under way\n +why: +the lock is held by change \S+ of \S+, pid \d+, since \S+Z; its process is alive\n +now: +this run has written nothing\n/,
  );
});

test.each([
  { where: "this host", other: "kube-1" },
  { where: "another host", other: "kube-2" },
])("a change of $where that came between plan and lock is named, not somebody else", async ({ other }) => {
  const scene = await openScene(server.endpoint, "in flight", 3);
  const directories = { "kube-1": scene.directory, "kube-2": temporaryFolder() };
  const directory = directories[other as keyof typeof directories];
  const early = [() => runnerOf(scene.cluster, directory)(CHANGE.with(1, "10.213.0.0/16"), { host: other })];
  const earlyIds: string[] = [];
  const late = await scene.run([...CHANGE, "-o", "json"], {
    host: "kube-1",
    beforeTxn: async () => {
      await early.pop()?.();
      earlyIds.push(...changesIn(directory));
    },
  });
  const by = `${earlyIds[0]} of ${userInfo().username}@${other}`;
  expect(late.exitCode).toBe(3);
  expect(late.err).toMatch(
    new RegExp(`error\\[refused\\]: the blocks in \\S+/minions/node-\\d were changed by change ${by}\n`),
  );
  expect(late.err).toContain(
    "now:  none of the 3 Nodes is written\n  next: see in `etcdcidr changes` what it is; then run the command again\n",
  );
  const keys = ["node-0", "node-1", "node-2"].map((name) => `${scene.cluster.prefix}/minions/${name}`);
  expect(JSON.parse(late.out)).toMatchObject({
    state: "not-written",
    written: {},
    dropped: {},
    left: keys,
    error: { code: "refused", now: "none of the 3 Nodes is written" },
  });
});

test("the same change twice at once: both are content, and each Node is written once", async () => {
  const { scene, start } = await openStage();
  const operators = [start(CHANGE), start(CHANGE)];
  expect(await Promise.all(operators.map(({ ended }) => ended))).toEqual([0, 0]);
  const { after } = await undisturbed(server.endpoint, "in flight", 40);
  expect(await scene.nodes()).toEqual(after);
});

test("a lease that ends in mid-run: it stops before the next write and says so; resume goes on", async () => {
  const { scene, relay, start } = await openStage();
  const held = relay.hold(key(scene), "answer");
  const run = start(CHANGE);
  await held;
  await landed(scene);
  await endLease();
  relay.release();
  expect(await run.ended).toBe(4);
  expect(run.err()).toContain("error[stopped]: the lock was lost\n");
  expect(run.err()).toContain("why:  this run's lease has ended; nobody holds it now\n");
  expect(run.err()).toMatch(/now: {2}\d+ of 40 Nodes are written/);
  expect((await scene.run(["resume", "--yes"])).exitCode).toBe(0);
  expect(await scene.nodes()).toEqual((await undisturbed(server.endpoint, "in flight", 40)).after);
});

test("a lock that another has got: it is named", async () => {
  const { scene, relay, start } = await openStage();
  const held = relay.hold(key(scene), "request");
  const run = start(CHANGE);
  await held;
  const holder = { changeId: "20261201-113000-aaaaaa", host: "kube-2", bootId: "b", pid: 7, user: "ann" };
  await endLease();
  await server.put(LOCK_KEY, JSON.stringify({ ...holder, sinceMs: Date.UTC(2026, 11, 1, 11, 30) }));
  relay.release();
  expect(await run.ended).toBe(3);
  expect(run.err()).toContain(
    "why:  this run's lease has ended; it is held by change 20261201-113000-aaaaaa of ann@kube-2, pid 7, since 2026-12-01T11:30:00Z now\n",
  );
  expect(run.err()).toContain("now:  none of the 40 Nodes is written\n");
  expect(await scene.nodes()).toEqual((await undisturbed(server.endpoint, "in flight", 40)).before);
});

// What a resume has done is what the thawed one meant, too; after a rollback it finds its lock gone.
test.each([
  { command: "resume", end: "after", exitCode: 0, says: "" },
  { command: "rollback", end: "before", exitCode: 4, says: "the lock was lost" },
] as const)(
  "a frozen process that thaws after a $command writes nothing more and harms no journal",
  async ({ command, end, exitCode, says }) => {
    const { scene, relay, start } = await openStage();
    const held = relay.hold(key(scene), "answer");
    const run = start(CHANGE);
    await held;
    await landed(scene);
    run.child.kill("SIGSTOP");
    await endLease();
    expect((await scene.run([command, "--yes"])).exitCode).toBe(0);
    const { [end]: expected } = await undisturbed(server.endpoint, "in flight", 40);
    expect(await scene.nodes()).toEqual(expected);
    relay.release();
    run.child.kill("SIGCONT");
    expect(await run.ended).toBe(exitCode);
    expect(run.err()).toContain(says);
    expect(await scene.nodes()).toEqual(expected);
    expect((await scene.run(["resume", "--yes"])).err).toContain("nothing to resume");
    expect((await recordsIn(server.endpoint)).filter(isOpen)).toEqual([]);
  },
);

test("a Txn that arrives after its run was given up writes nothing", async () => {
  const { scene, relay, start } = await openStage();
  const held = relay.hold(key(scene), "request");
  const run = start(CHANGE);
  await held;
  run.child.kill("SIGSTOP");
  await endLease();
  expect((await scene.run(["rollback", "--yes"])).err).toContain("nothing to roll back");
  relay.release();
  run.child.kill("SIGCONT");
  expect(await run.ended).toBe(3);
  expect(run.err()).toContain("the lock was lost");
  expect(await scene.nodes()).toEqual((await undisturbed(server.endpoint, "in flight", 40)).before);
});

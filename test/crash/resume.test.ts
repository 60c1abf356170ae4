import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { isOpen } from "../../src/plan/change-record.js";
import { live } from "../harness/crash.js";
import { type EtcdServer, startEtcd } from "../harness/etcd.js";
import { temporaryFolder } from "../harness/folder.js";
import { crash, undisturbed } from "./crash.js";
import {
  CHANGE,
  changesIn,
  forgetOwnKeys,
  openScene,
  ownKeys,
  recordsIn,
  recordTypes,
  runnerOf,
  type Scene,
} from "./scene.js";

let server: EtcdServer;
beforeAll(async () => {
  server = await startEtcd();
});
afterAll(() => server.stop());
beforeEach(() => forgetOwnKeys(server.endpoint));

// In a change of 20 Nodes one by one: 1 the lock, 2-22 begin and originals, 23 ready, 24 synced, 25 the record in etcd,
// 26-45 intents, 46 synced, then a Txn and its record in turn.
const READY = 24;
const ANNOUNCED = 46;
const PART_APPLIED = 50;

const crashed = async (killAfter: number): Promise<Scene> => {
  const life = { killAfter, unsynced: "kept" } as const;
  return (await crash({ endpoint: server.endpoint, kind: "in flight", nodes: 20, life })).scene;
};
const whole = () => undisturbed(server.endpoint, "in flight", 20);
const states = async ({ run }: Scene): Promise<string[]> =>
  JSON.parse((await run(["changes", "-o", "json"])).out).map(({ state }: { state: string }) => state);
const firstOf = ({ directory }: Scene): string => changesIn(directory)[0] ?? "";

/** What everybody writes who is not we. */
const beat = ({ cluster }: Scene, name: string) => cluster.touch(name, { "status.nodeInfo.bootID": "late" });
const setBlock = ({ cluster }: Scene, name: string, block: string) =>
  cluster.touch(name, { "spec.podCIDR": block, "spec.podCIDRs": [block] });

test("nothing to resume, or to roll back: says so, exit 0", async () => {
  const { run, directory } = await openScene(server.endpoint, "in flight", 3);
  const resumed = await run(["resume"]);
  expect([resumed.exitCode, resumed.err.split("\n").slice(1)]).toEqual([
    0,
    [`nothing to resume: no change in ${directory} is unfinished`, ""],
  ]);
  const rolledBack = await run(["rollback"]);
  expect([rolledBack.exitCode, rolledBack.err.split("\n").slice(1)]).toEqual([
    0,
    [`nothing to roll back: no change in ${directory} stands`, ""],
  ]);
});

test.each(["resume", "rollback"])(
  "%s without an etcd: nobody knows whether there is nothing",
  async (command) => {
    const directory = temporaryFolder();
    const { exitCode, err } = await live([command, "--journal-dir", directory, "--endpoints", "127.0.0.1:1"]);
    expect([exitCode, err.split("\n")[0]]).toEqual([3, expect.stringContaining("error[unreachable]")]);
    expect(err).toContain("\n  now:  this run has written nothing\n");
  },
);

test("a complete change by name: says so, exit 0; an unknown one: exit 1", async () => {
  const { run, directory } = await openScene(server.endpoint, "in flight", 3);
  await run(CHANGE);
  const [id = ""] = changesIn(directory);
  const { exitCode, err } = await run(["resume", id, "--yes"]);
  expect([exitCode, err.split("\n")[1]]).toEqual([
    0,
    `nothing to resume: ${id} is complete, undone or closed`,
  ]);
  const unknown = await run(["resume", "20261201-113000-7f3a9c", "--yes"]);
  expect(unknown.exitCode).toBe(1);
  expect(unknown.err).toContain("error[not-found]: cannot go on with 20261201-113000-7f3a9c\n");
});

describe("a confirmed change that has written nothing", () => {
  test("is told apart, and made as a new change when the same edits come out", async () => {
    const scene = await crashed(READY);
    expect(await states(scene)).toEqual(["not-begun"]);
    const first = firstOf(scene);
    const { exitCode, err } = await scene.run(["resume", "--yes"]);
    expect(exitCode).toBe(0);
    expect(err).toContain(
      `${first} has written nothing; the same edits come out now and are made as a new change\n`,
    );
    expect(await scene.nodes()).toEqual((await whole()).after);
    expect(await states(scene)).toEqual(["not-written", "done"]);
    expect(recordTypes(scene.directory, first).at(-1)).toBe("end");
  });

  test("is closed when others come out", async () => {
    const scene = await crashed(READY + 1);
    await setBlock(scene, "node-3", "10.112.40.0/25");
    const { exitCode, err } = await scene.run(["resume", "--yes"]);
    expect(exitCode).toBe(3);
    expect(err).toContain(`error[plan-stale]: ${firstOf(scene)} cannot be gone on with\n`);
    expect(err).toContain(
      "why:  it has written nothing, and the same intent gives other edits now, for node-3\n",
    );
    expect(err).toContain("now:  nothing was written; the change is closed\n");
    expect(await states(scene)).toEqual(["not-written"]);
    expect(Object.values(await ownKeys(server.endpoint)).map(({ state }) => state)).toEqual(["not-written"]);
    expect((await scene.run(["resume", "--yes"])).err).toContain("nothing to resume");
  });

  test("is closed when not even its plan was on disk", async () => {
    const scene = await crashed(10);
    const { exitCode, err } = await scene.run(["resume", "--yes"]);
    expect(exitCode).toBe(3);
    expect(err).toContain("why:  it has written nothing, and the run ended before its plan was on disk\n");
    expect(await scene.nodes()).toEqual((await whole()).before);
  });

  test("is left as it is when the operator says no", async () => {
    const scene = await crashed(READY);
    expect((await scene.run(["resume"])).exitCode).toBe(2);
    expect(await states(scene)).toEqual(["not-begun"]);
    expect(recordTypes(scene.directory, firstOf(scene)).at(-1)).toBe("ready");
  });

  test("blocks no new change", async () => {
    const scene = await crashed(ANNOUNCED);
    expect(await states(scene)).toEqual(["in-doubt"]);
    expect((await scene.run(CHANGE)).exitCode).toBe(0);
    expect(await scene.nodes()).toEqual((await whole()).after);
  });

  test("is closed when the same change is made again: nobody takes its values for its own", async () => {
    const scene = await crashed(ANNOUNCED);
    expect((await scene.run(CHANGE)).exitCode).toBe(0);
    expect(await states(scene)).toEqual(["not-written", "done"]);
    expect((await scene.run(CHANGE.with(1, "10.213.0.0/16"))).exitCode).toBe(0);
    expect((await scene.run(["resume", "--yes"])).err).toContain("nothing to resume");
  });

  test.each([READY, ANNOUNCED])("is closed by a rollback (killed after %i)", async (killAfter) => {
    const scene = await crashed(killAfter);
    const first = firstOf(scene);
    const { exitCode, err } = await scene.run(["rollback", first, "--yes"]);
    expect([exitCode, err.split("\n")[1]]).toEqual([
      0,
      `nothing to roll back: ${first} has written nothing; it is closed`,
    ]);
    expect(await states(scene)).toEqual(["not-written"]);
  });
});

describe("a change that is half done", () => {
  test("keeps a new one away, which says how to go on", async () => {
    const scene = await crashed(PART_APPLIED);
    const before = await scene.nodes();
    expect(await states(scene)).toEqual(["in-doubt"]);
    const { exitCode, err } = await scene.run(CHANGE.with(1, "10.213.0.0/16"));
    const first = firstOf(scene);
    expect(exitCode).toBe(3);
    expect(err).toContain("error[blocked]: another change is half done\n");
    expect(err).toMatch(new RegExp(`why: {2}${first} has written \\d+ of its 20 Nodes\n`));
    expect(err).toContain(
      `next: \`etcdcidr resume ${first}\` goes on with it, \`etcdcidr rollback ${first}\` undoes it\n`,
    );
    expect(await scene.nodes()).toEqual(before);
  });

  test("goes into what others have written since, and leaves a Node out that has gone", async () => {
    const scene = await crashed(PART_APPLIED);
    await beat(scene, "node-19");
    await beat(scene, "node-0");
    await scene.cluster.delete("minions/node-18");
    const unconfirmed = await scene.run(["resume"]);
    expect(unconfirmed.err).toContain("now:  this run has written nothing\n");
    expect(unconfirmed.out).toMatch(
      new RegExp(
        [
          "^cluster   etcd cluster [0-9a-f]+ at \\S+",
          `change    ${firstOf(scene)} of \\S+: change-pod-cidr 10.112.0.0/20 -> 10.212.0.0/16`,
          "done      17 of 20 Nodes written",
          "left      3",
          "",
          "NODE     BEFORE           NEW",
          "node-17  10.112.8.128/25  10.212.8.128/25\n",
        ].join("\n"),
      ),
    );
    const { exitCode, out } = await scene.run(["resume", "--yes"]);
    expect(exitCode).toBe(0);
    expect(out).toContain(`left out: ${scene.cluster.prefix}/minions/node-18, deleted meanwhile\n`);
    const nodes = await scene.cluster.nodes();
    expect(nodes.get("node-19")).toMatchObject({ podCidr: "10.212.9.128/25", beat: "late" });
    expect(nodes.get("node-0")).toMatchObject({ podCidr: "10.212.0.0/25", beat: "late" });
    expect((await scene.run(["rollback", "--yes"])).exitCode).toBe(0);
    const back = await scene.cluster.nodes();
    expect(back.get("node-19")).toMatchObject({ podCidr: "10.112.9.128/25", beat: "late" });
  });

  test("stops at blocks that somebody else has set, and tells of the whole change", async () => {
    const scene = await crashed(PART_APPLIED);
    await setBlock(scene, "node-19", "10.99.0.0/25");
    const { exitCode, err } = await scene.run(["resume", "--yes"]);
    expect(exitCode).toBe(4);
    expect(err).toMatch(/now: {2}\d\d? of 20 Nodes are written/);
    expect(await states(scene)).toEqual(["part-applied"]);
    const rolledBack = await scene.run(["rollback", "--yes", "--accept", "changed-since"]);
    expect(rolledBack.err).not.toContain("error[");
    const { before } = await whole();
    const { "node-19": _changed, ...others } = await scene.nodes();
    expect(Object.entries(before).filter(([name]) => name !== "node-19")).toEqual(Object.entries(others));
  });

  test("its rollback, half done as well: neither the change nor another one goes on, only the way back", async () => {
    const { scene, first, back } = await halfBack();
    expect(await states(scene)).toEqual(["in-doubt", "in-doubt"]);
    for (const argv of [["resume", first, "--yes"], CHANGE]) {
      const { exitCode, err } = await scene.run(argv);
      expect([argv, exitCode]).toEqual([argv, 3]);
      expect(err).toContain(`\`etcdcidr resume ${back}\``);
    }
    expect((await scene.run(["resume", "--yes"])).exitCode).toBe(0);
    expect(await scene.nodes()).toEqual((await whole()).before);
    expect(await states(scene)).toEqual(["undone", "done"]);
  });

  test("its rollback, half done, is finished by another one, past a Node that somebody else has changed", async () => {
    const { scene } = await halfBack();
    await setBlock(scene, "node-16", "10.99.0.0/25");
    const resumed = await scene.run(["resume", "--yes"]);
    expect(resumed.exitCode).toBe(4);
    const again = await scene.run(["rollback", "--yes", "--accept", "changed-since"]);
    expect(again.exitCode).toBe(0);
    const { "node-16": _changed, ...others } = await scene.nodes();
    const { "node-16": _before, ...before } = (await whole()).before;
    expect(others).toEqual(before);
    // Of the second rollback nothing was left but that Node.
    expect(await states(scene)).toEqual(["undone", "undone"]);
    expect((await scene.run(["resume", "--yes"])).err).toContain("nothing to resume");
    expect((await recordsIn(server.endpoint)).filter(isOpen)).toEqual([]);
  });

  test("its rollback, half done, can be undone, too: then the change is as it was", async () => {
    const { scene, first, back, halfDone } = await halfBack();
    expect((await scene.run(["rollback", back, "--yes"])).err).not.toContain("error[");
    expect(await scene.nodes()).toEqual(halfDone);
    expect((await scene.run(["resume", first, "--yes"])).exitCode).toBe(0);
    expect(await scene.nodes()).toEqual((await whole()).after);
  });

  test("on another cluster: the journal decides nothing there", async () => {
    const scene = await crashed(PART_APPLIED);
    const other = await startEtcd();
    onTestFinished(() => other.stop());
    const elsewhere = await openScene(other.endpoint, "in flight", 5);
    const before = await elsewhere.nodes();
    const there = runnerOf(elsewhere.cluster, scene.directory);
    const resumed = await there(["resume", "--yes"]);
    expect(resumed.exitCode).toBe(3);
    expect(resumed.err).toContain("error[wrong-cluster]");
    expect(await elsewhere.nodes()).toEqual(before);
    const changed = await there(CHANGE);
    expect(changed.exitCode).toBe(0);
  });
});

test("a rollback that finds nothing left to be given back: the change counts as undone, and the one before it can go", async () => {
  const scene = await openScene(server.endpoint, "in flight", 5);
  const { cluster, run } = scene;
  await run(CHANGE);
  const first = await cluster.dump();
  const id = firstOf(scene);
  await run(CHANGE.with(1, "10.213.0.0/16"));
  // As after a restore of etcd from a snapshot.
  for (const [key, { value }] of first) await cluster.put(key, value);
  const { exitCode, err } = await run(["rollback", "--yes"]);
  const second = changesIn(scene.directory).find((each) => each !== id) ?? "";
  expect([exitCode, err.split("\n").slice(1)]).toEqual([
    0,
    ["nothing to do: no Node needs an edit", `${second} counts as undone`, ""],
  ]);
  expect(await states(scene)).toEqual(["done", "undone"]);
  expect(await ownKeys(server.endpoint)).toMatchObject({
    [`/etcdcidr/changes/${second}`]: { state: "undone" },
  });
  expect((await run(["rollback", "--yes"])).exitCode).toBe(0);
  expect((await cluster.nodes()).get("node-0")?.podCidr).toBe("10.112.0.0/25");
});

/** A change that was killed in the middle, and its rollback as well. */
async function halfBack() {
  const scene = await crashed(PART_APPLIED);
  const first = firstOf(scene);
  const halfDone = await scene.nodes();
  await scene.run(["rollback", "--yes"], { killAfter: 43, unsynced: "kept" });
  const back = changesIn(scene.directory).find((id) => id !== first) ?? "";
  return { scene, first, back, halfDone };
}

test("a run that held the lock and ended half way is noticed when the lock is got", async () => {
  const scene = await openScene(server.endpoint, "in flight", 20);
  const before = await scene.nodes();
  let others = 0;
  const late = await scene.run(CHANGE.with(1, "10.213.0.0/16"), {
    beforeTxn: async ({ operations }) => {
      others += 1;
      // Before this run's lock: another one takes it, and is killed in mid-change.
      const isFirst = others === 1 && operations[0]?.key === "/etcdcidr/lock";
      await [() => scene.run(CHANGE, { killAfter: PART_APPLIED, unsynced: "kept" })][isFirst ? 0 : 1]?.();
    },
  });
  expect(late.exitCode).toBe(3);
  expect(late.err).toContain("error[blocked]: another change is half done\n");
  expect((await scene.run(["rollback", "--yes"])).exitCode).toBe(0);
  expect(await scene.nodes()).toEqual(before);
});

test("a resume that waited for the lock while another resume did it all writes nothing", async () => {
  const scene = await crashed(PART_APPLIED);
  let resumed = false;
  const late = await scene.run(["resume", "--yes"], {
    beforeTxn: async () => {
      const first = !resumed;
      resumed = true;
      await [() => scene.run(["resume", "--yes"])][first ? 0 : 1]?.();
    },
  });
  expect(late.exitCode).toBe(3);
  expect(late.err).toContain(`error[blocked]: ${firstOf(scene)} is no longer as it was\n`);
  expect(late.txns.flatMap(({ operations }) => operations.map(({ key }) => key))).toEqual(["/etcdcidr/lock"]);
  expect(await scene.nodes()).toEqual((await whole()).after);
});

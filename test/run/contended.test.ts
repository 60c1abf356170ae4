import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { liveCluster, manyNodes, stoppedCluster } from "../harness/cluster.js";
import { type EtcdServer, startEtcd } from "../harness/etcd.js";
import { interfere, mostAtOnce, sentTxns } from "../harness/interference.js";
import { blocksOf } from "./round-trip.js";
import { beat, beatsOf, CHANGE, errorIn, NAMES, NEW, OLD, sceneOn, setBlock } from "./scene.js";

vi.mock("../../src/adapters/endpoint.js", async (importActual) => {
  const { interferedEndpoints } = await import("./scene.js");
  return interferedEndpoints(await importActual<typeof import("../../src/adapters/endpoint.js")>());
});

let server: EtcdServer;
beforeAll(async () => {
  server = await startEtcd();
});
afterAll(() => server.stop());
beforeEach(() => interfere({}));

describe("a heartbeat between read and write", () => {
  test("is kept: stopped cluster, one Txn", async () => {
    const { cluster, run } = await sceneOn(server.endpoint);
    interfere({
      before: {
        1: async (nodes) => {
          for (const name of nodes) await beat(cluster, name);
        },
      },
    });
    expect((await run(...CHANGE)).exitCode).toBe(0);
    expect(blocksOf(await cluster.nodes())).toEqual(NEW);
    expect(await beatsOf(cluster)).toEqual(Object.fromEntries(NAMES.map((name) => [name, `late ${name}`])));
    expect(sentTxns()).toEqual([NAMES, NAMES]);
  });

  test("is kept: live cluster, one Txn a Node", async () => {
    const { cluster, run } = await sceneOn(server.endpoint, liveCluster("v1.36-single"));
    const late = async ([name = ""]: readonly string[]) => beat(cluster, name);
    interfere({ before: { 1: late, 2: late, 3: late, 4: late, 5: late } });
    expect((await run(...CHANGE)).exitCode).toBe(0);
    expect(blocksOf(await cluster.nodes())).toEqual(NEW);
    expect(await beatsOf(cluster)).toEqual(Object.fromEntries(NAMES.map((name) => [name, `late ${name}`])));
    expect(sentTxns().flat().toSorted()).toEqual([...NAMES, ...NAMES].toSorted());
  });

  test("after three lost compares the batch is halved", async () => {
    const { cluster, run } = await sceneOn(server.endpoint);
    const late = () => beat(cluster, "worker-1");
    interfere({ before: { 1: late, 2: late, 3: late } });
    expect((await run(...CHANGE)).exitCode).toBe(0);
    expect(blocksOf(await cluster.nodes())).toEqual(NEW);
    expect(sentTxns().map(({ length }) => length)).toEqual([5, 5, 5, 3, 2]);
  });

  test("all or nothing is never halved", async () => {
    const { cluster, run } = await sceneOn(server.endpoint);
    const late = () => beat(cluster, "worker-1");
    interfere({ before: { 1: late, 2: late, 3: late, 4: late, 5: late } });
    expect((await run(...CHANGE, "--one-transaction")).exitCode).toBe(0);
    expect(blocksOf(await cluster.nodes())).toEqual(NEW);
    expect(sentTxns().map(({ length }) => length)).toEqual([5, 5, 5, 5, 5, 5]);
  });

  test("that comes before every Txn stops the run at that Node; the others of its half are written", async () => {
    const { cluster, run } = await sceneOn(server.endpoint);
    interfere({ beforeEach: () => beat(cluster, "worker-1") });
    const { err, exitCode } = await run(...CHANGE);
    expect(exitCode).toBe(4);
    expect(errorIn(err, cluster)).toBe(
      [
        "error[stopped]: cannot write /registry/minions/worker-1",
        "  why:  something else wrote it 20 times between our read and our write",
        "  now:  3 of 5 Nodes are written, not written: worker-1, worker-2",
        "  next: find what writes this Node and stop it; then `etcdcidr resume ID` goes on, `etcdcidr rollback ID` undoes what is written",
        "",
      ].join("\n"),
    );
    expect(sentTxns().map(({ length }) => length)).toEqual([
      ...[5, 5, 5, 3, 2, 2, 2],
      ...Array.from({ length: 14 }, () => 1),
    ]);
    expect(blocksOf(await cluster.nodes())).toEqual({
      ...NEW,
      "worker-1": "10.112.4.0/24",
      "worker-2": "10.112.6.0/24",
    });
  });

  test("that comes before every Txn of the only Node: nothing is written", async () => {
    const { cluster, run } = await sceneOn(server.endpoint);
    interfere({ beforeEach: () => beat(cluster, "worker-1") });
    const { err, exitCode } = await run(...CHANGE, "--node", "worker-1");
    expect(exitCode).toBe(3);
    expect(err).toContain("error[refused]: cannot write");
    expect(err).toContain("  now:  the Node is not written\n");
    expect(sentTxns().length).toBe(20);
    expect(blocksOf(await cluster.nodes())).toEqual(OLD);
  });
});

describe("a writer that touches every Node all the time", () => {
  test.each([
    ["stopped", stoppedCluster("v1.36-single")],
    ["live", liveCluster("v1.36-single")],
  ])("loses none of its writes, and all blocks are changed: %s", async (_name, keys) => {
    const { cluster, run } = await sceneOn(server.endpoint, manyNodes(keys, 100));
    const names = [...(await cluster.nodes()).keys()];
    const last = new Map<string, string>();
    let isDone = false;
    const writer = (async () => {
      for (let round = 0; !isDone; round++) {
        for (const name of names) {
          await beat(cluster, name, `round ${round}`);
          last.set(name, `round ${round}`);
        }
      }
    })();
    const { exitCode, err } = await run("change-pod-cidr", "10.212.0.0/16", "--node-cidr-mask-size", "25");
    isDone = true;
    await writer;
    expect(err).not.toContain("error");
    expect(exitCode).toBe(0);
    expect(await beatsOf(cluster)).toEqual(Object.fromEntries(last));
    expect(Object.values(blocksOf(await cluster.nodes())).every((text) => text.startsWith("10.212."))).toBe(
      true,
    );
  });
});

describe("Txns under way at once", () => {
  const MANY = ["change-pod-cidr", "10.212.0.0/16", "--node-cidr-mask-size", "25"];

  test("are up to 16 while an API server lives", async () => {
    const { run } = await sceneOn(server.endpoint, manyNodes(liveCluster("v1.36-single"), 100));
    expect((await run(...MANY)).exitCode).toBe(0);
    expect(mostAtOnce()).toBe(16);
  });

  test("are one of many Nodes while nobody watches", async () => {
    const { run } = await sceneOn(server.endpoint, manyNodes(stoppedCluster("v1.36-single"), 300));
    expect((await run(...MANY)).exitCode).toBe(0);
    expect(mostAtOnce()).toBe(1);
  });
});

describe("the edited fields are changed by somebody else", () => {
  const FOREIGN = "10.99.0.0/24";

  test("before anything is written: exit 3", async () => {
    const { cluster, run } = await sceneOn(server.endpoint);
    interfere({ before: { 1: () => setBlock(cluster, "kube-2", FOREIGN) } });
    const { err, exitCode } = await run(...CHANGE);
    expect(exitCode).toBe(3);
    expect(errorIn(err, cluster)).toMatch(
      new RegExp(
        [
          "^error\\[refused\\]: the blocks in /registry/minions/kube-2 were changed by somebody else",
          "  why:  at revision \\d+ they are neither what the plan was made from nor what it writes",
          "  now:  none of the 5 Nodes is written",
          "  next: find what else changes blocks and stop it; then run the command again",
          "$",
        ].join("\n"),
      ),
    );
    expect(blocksOf(await cluster.nodes())).toEqual({ ...OLD, "kube-2": FOREIGN });
  });

  test("while others are written: exit 4, saying which are", async () => {
    const { cluster, run } = await sceneOn(server.endpoint, liveCluster("v1.36-single"));
    interfere({ before: { 2: () => setBlock(cluster, "kube-2", FOREIGN) } });
    const { out, err, exitCode } = await run(...CHANGE, "-o", "json");
    expect(exitCode).toBe(4);
    const { prefix } = cluster;
    const written = Object.keys(NEW).filter((name) => name !== "kube-2");
    const data = JSON.parse(out);
    expect(data).toMatchObject({
      state: "part-applied",
      journal: expect.stringContaining(data.changeId),
      plan: { outline: { unchanged: 0 } },
      dropped: {},
      left: [`${prefix}/minions/kube-2`],
      error: { code: "stopped", now: "4 of 5 Nodes are written, not written: kube-2" },
      afterwards: expect.arrayContaining([]),
    });
    expect(Object.keys(data.written).sort()).toEqual(written.map((name) => `${prefix}/minions/${name}`));
    expect(errorIn(err, cluster)).toContain("\n  now:  4 of 5 Nodes are written, not written: kube-2\n");
    expect(blocksOf(await cluster.nodes())).toEqual({ ...NEW, "kube-2": FOREIGN });
    expect((await run("changes")).out).toMatch(/ part-applied +4 of 5 /);
  });

  test("between two batches: the batches before it stand, those after it are not begun", async () => {
    const { cluster, run } = await sceneOn(server.endpoint, manyNodes(stoppedCluster("v1.36-single"), 300));
    interfere({ before: { 3: () => setBlock(cluster, "node-140", FOREIGN) } });
    const { err, exitCode } = await run("change-pod-cidr", "10.212.0.0/16", "--node-cidr-mask-size", "25");
    expect(exitCode).toBe(4);
    expect(err).toContain(
      "  now:  128 of 300 Nodes are written, not written: node-128, node-129, node-130 and 169 more\n",
    );
    const blocks = Object.values(blocksOf(await cluster.nodes()));
    expect(blocks.filter((text) => text.startsWith("10.212.")).length).toBe(128);
    expect(sentTxns().length).toBe(3);
  });

  test("to the very values of the plan: that is as good as ours", async () => {
    const { cluster, run } = await sceneOn(server.endpoint);
    interfere({ before: { 1: () => setBlock(cluster, "kube-2", NEW["kube-2"]) } });
    const { out, exitCode } = await run(...CHANGE);
    expect(exitCode).toBe(0);
    expect(out).toContain("\n5 Nodes written, ");
    expect(sentTxns()).toEqual([NAMES, NAMES.filter((name) => name !== "kube-2")]);
    expect(blocksOf(await cluster.nodes())).toEqual(NEW);
  });

  test("a Node whose value cannot be read any more stops the run too", async () => {
    const { cluster, run } = await sceneOn(server.endpoint);
    interfere({ before: { 1: () => cluster.put("minions/kube-2", Buffer.from("k8s\0\xff\xff")) } });
    const { err, exitCode } = await run(...CHANGE);
    expect(exitCode).toBe(3);
    expect(errorIn(err, cluster)).toContain("/registry/minions/kube-2");
    expect(err).toContain("  now:  none of the 5 Nodes is written\n");
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import {
  type Cluster,
  forget,
  liveCluster,
  loadCluster,
  loadClusterSlowly,
  manyNodes,
  stoppedCluster,
  withFields,
} from "../harness/cluster.js";
import { type EtcdServer, startEtcd } from "../harness/etcd.js";
import { interfere, interfered, mostAtOnce, sentTxns } from "../harness/interference.js";
import { blocksOf, commandsOver, type Run, rewrittenKeys } from "./round-trip.js";

vi.mock("../../src/adapters/endpoint.js", async (importActual) => {
  const actual = await importActual<typeof import("../../src/adapters/endpoint.js")>();
  return {
    ...actual,
    connectEtcd: async (...args: Parameters<typeof actual.connectEtcd>) => {
      const connected = await actual.connectEtcd(...args);
      return { ...connected, etcd: interfered(connected.etcd) };
    },
  };
});

let server: EtcdServer;
beforeAll(async () => {
  server = await startEtcd();
});
afterAll(() => server.stop());
beforeEach(() => interfere({}));

const CHANGE = ["change-pod-cidr", "10.212.0.0/16", "--node-cidr-mask-size", "22"];
const NEW = {
  "kube-1": "10.212.0.0/22",
  "kube-2": "10.212.4.0/22",
  "kube-3": "10.212.8.0/22",
  "worker-1": "10.212.16.0/22",
  "worker-2": "10.212.24.0/22",
};
const OLD = {
  "kube-1": "10.112.0.0/24",
  "kube-2": "10.112.1.0/24",
  "kube-3": "10.112.2.0/24",
  "worker-1": "10.112.4.0/24",
  "worker-2": "10.112.6.0/24",
};
const NAMES = Object.keys(NEW);

async function scene(keys = stoppedCluster("v1.36-single")): Promise<{ cluster: Cluster; run: Run }> {
  const cluster = await loadCluster(server.endpoint, keys);
  return { cluster, run: commandsOver(cluster) };
}

const beat = (cluster: Cluster, name: string, text = `late ${name}`) =>
  cluster.touch(name, { "status.nodeInfo.bootID": text });
const setBlock = (cluster: Cluster, name: string, block: string) =>
  cluster.touch(name, { "spec.podCIDR": block, "spec.podCIDRs": [block] });

const beatsOf = async (cluster: Cluster) =>
  Object.fromEntries([...(await cluster.nodes())].map(([name, node]) => [name, node.beat]));

/** The error's four lines, with the prefix that the recorded cluster had, and ID for the change's id. */
function errorIn(err: string, { prefix }: Cluster): string {
  return err
    .slice(err.indexOf("error["))
    .replaceAll(`${prefix}/`, "/registry/")
    .replaceAll(/\d{8}-\d{6}-[0-9a-f]{6}/g, "ID");
}

describe("a heartbeat between read and write", () => {
  test("is kept: stopped cluster, one Txn", async () => {
    const { cluster, run } = await scene();
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
    const { cluster, run } = await scene(liveCluster("v1.36-single"));
    const late = async ([name = ""]: readonly string[]) => beat(cluster, name);
    interfere({ before: { 1: late, 2: late, 3: late, 4: late, 5: late } });
    expect((await run(...CHANGE)).exitCode).toBe(0);
    expect(blocksOf(await cluster.nodes())).toEqual(NEW);
    expect(await beatsOf(cluster)).toEqual(Object.fromEntries(NAMES.map((name) => [name, `late ${name}`])));
    expect(sentTxns().flat().toSorted()).toEqual([...NAMES, ...NAMES].toSorted());
  });

  test("after three lost compares the batch is halved", async () => {
    const { cluster, run } = await scene();
    const late = () => beat(cluster, "worker-1");
    interfere({ before: { 1: late, 2: late, 3: late } });
    expect((await run(...CHANGE)).exitCode).toBe(0);
    expect(blocksOf(await cluster.nodes())).toEqual(NEW);
    expect(sentTxns().map(({ length }) => length)).toEqual([5, 5, 5, 3, 2]);
  });

  test("all or nothing is never halved", async () => {
    const { cluster, run } = await scene();
    const late = () => beat(cluster, "worker-1");
    interfere({ before: { 1: late, 2: late, 3: late, 4: late, 5: late } });
    expect((await run(...CHANGE, "--one-transaction")).exitCode).toBe(0);
    expect(blocksOf(await cluster.nodes())).toEqual(NEW);
    expect(sentTxns().map(({ length }) => length)).toEqual([5, 5, 5, 5, 5, 5]);
  });

  test("that comes before every Txn stops the run at that Node; the others of its half are written", async () => {
    const { cluster, run } = await scene();
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
    const { cluster, run } = await scene();
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
    const { cluster, run } = await scene(manyNodes(keys, 100));
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
    const { run } = await scene(manyNodes(liveCluster("v1.36-single"), 100));
    expect((await run(...MANY)).exitCode).toBe(0);
    expect(mostAtOnce()).toBe(16);
  });

  test("are one of many Nodes while nobody watches", async () => {
    const { run } = await scene(manyNodes(stoppedCluster("v1.36-single"), 300));
    expect((await run(...MANY)).exitCode).toBe(0);
    expect(mostAtOnce()).toBe(1);
  });
});

describe("the edited fields are changed by somebody else", () => {
  const FOREIGN = "10.99.0.0/24";

  test("before anything is written: exit 3", async () => {
    const { cluster, run } = await scene();
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
    const { cluster, run } = await scene(liveCluster("v1.36-single"));
    interfere({ before: { 2: () => setBlock(cluster, "kube-2", FOREIGN) } });
    const { err, exitCode } = await run(...CHANGE);
    expect(exitCode).toBe(4);
    expect(errorIn(err, cluster)).toContain("\n  now:  4 of 5 Nodes are written, not written: kube-2\n");
    expect(blocksOf(await cluster.nodes())).toEqual({ ...NEW, "kube-2": FOREIGN });
    expect((await run("changes")).out).toMatch(/ part applied +4 /);
  });

  test("between two batches: the batches before it stand, those after it are not begun", async () => {
    const { cluster, run } = await scene(manyNodes(stoppedCluster("v1.36-single"), 300));
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
    const { cluster, run } = await scene();
    interfere({ before: { 1: () => setBlock(cluster, "kube-2", NEW["kube-2"]) } });
    const { out, exitCode } = await run(...CHANGE);
    expect(exitCode).toBe(0);
    expect(out).toContain("\n5 Nodes written, ");
    expect(sentTxns()).toEqual([NAMES, NAMES.filter((name) => name !== "kube-2")]);
    expect(blocksOf(await cluster.nodes())).toEqual(NEW);
  });

  test("a Node whose value cannot be read any more stops the run too", async () => {
    const { cluster, run } = await scene();
    interfere({ before: { 1: () => cluster.put("minions/kube-2", Buffer.from("k8s\0\xff\xff")) } });
    const { err, exitCode } = await run(...CHANGE);
    expect(exitCode).toBe(3);
    expect(errorIn(err, cluster)).toContain("/registry/minions/kube-2");
    expect(err).toContain("  now:  none of the 5 Nodes is written\n");
  });
});

describe("Nodes that come and go in mid-run", () => {
  async function recreate(cluster: Cluster, name: string): Promise<void> {
    const current = (await cluster.nodes()).get(name)?.value ?? new Uint8Array();
    await cluster.put(`minions/${name}`, withFields(current, { "metadata.uid": "another-uid" }));
  }

  async function join(cluster: Cluster, name: string, block: string): Promise<void> {
    const model = (await cluster.nodes()).get("worker-1")?.value ?? new Uint8Array();
    const fields = { "metadata.name": name, "metadata.uid": `uid of ${name}` };
    await cluster.put(
      `minions/${name}`,
      withFields(model, { ...fields, "spec.podCIDR": block, "spec.podCIDRs": [block] }),
    );
  }

  test("a deleted one is left out and reported, exit 0", async () => {
    const { cluster, run } = await scene();
    interfere({ before: { 1: () => cluster.delete("minions/kube-2") } });
    const { out, exitCode } = await run(...CHANGE);
    expect(exitCode).toBe(0);
    expect(out).toContain("\n4 Nodes written, ");
    expect(out).toContain(`\nleft out: ${cluster.prefix}/minions/kube-2, deleted meanwhile\n`);
    expect(blocksOf(await cluster.nodes())).toEqual(
      Object.fromEntries(Object.entries(NEW).filter(([name]) => name !== "kube-2")),
    );
  });

  test("all of them deleted: nothing to write is no failure", async () => {
    const { cluster, run } = await scene();
    interfere({
      before: {
        1: async (nodes) => {
          for (const name of nodes) await cluster.delete(`minions/${name}`);
        },
      },
    });
    const { out, exitCode } = await run(...CHANGE);
    expect(exitCode).toBe(0);
    expect(out).toContain("\n0 Nodes written, ");
  });

  test("one re-created under its name with its old block is named with the command that moves it", async () => {
    const { cluster, run } = await scene();
    interfere({ before: { 1: () => recreate(cluster, "kube-2") } });
    const { out, err, exitCode } = await run(...CHANGE);
    expect(exitCode).toBe(6);
    expect(out).toContain(`\nleft out: ${cluster.prefix}/minions/kube-2, re-created meanwhile\n`);
    expect(errorIn(err, cluster)).toBe(
      [
        "error[not-verified]: 1 Node is not as the plan meant",
        "  why:  kube-2 joined meanwhile and has 10.112.1.0/24, outside 10.212.0.0/16",
        "  now:  4 Nodes are written; kube-controller-manager may exit at its next start",
        "  next: `etcdcidr change-pod-cidr 10.212.0.0/16 --node-cidr-mask-size 22 --node kube-2`",
        "",
      ].join("\n"),
    );
  });

  test("one that joined with a block of the old range is named, and the command named moves it", async () => {
    const { cluster, run } = await scene();
    interfere({ before: { 1: () => join(cluster, "worker-3", "10.112.7.0/24") } });
    const { err, exitCode } = await run(...CHANGE);
    expect(exitCode).toBe(6);
    expect(err).toContain("  why:  worker-3 joined meanwhile and has 10.112.7.0/24, outside 10.212.0.0/16\n");
    const [, command = ""] = /next: `etcdcidr (.*)`/.exec(err) ?? [];
    interfere({});
    const moved = await run(...command.split(" "));
    expect(moved.exitCode).toBe(0);
    expect(moved.out).toContain("\n1 Node written, ");
    expect(sentTxns()).toEqual([["worker-3"]]);
    expect(blocksOf(await cluster.nodes())).toEqual({ ...NEW, "worker-3": "10.212.28.0/22" });
    expect((await run(...CHANGE)).err).toContain("nothing to do: no Node needs an edit\n");
  });

  test("one that joined in the new range, or without a block, is no concern", async () => {
    const { cluster, run } = await scene();
    interfere({ before: { 1: () => join(cluster, "worker-3", "10.212.60.0/22") } });
    expect((await run(...CHANGE)).exitCode).toBe(0);
  });

  test("one that joined with a block that the change gives to another", async () => {
    const { cluster, run } = await scene();
    interfere({ before: { 1: () => join(cluster, "worker-3", "10.212.17.0/24") } });
    const { err, exitCode } = await run(...CHANGE);
    expect(exitCode).toBe(6);
    expect(err).toContain("  why:  worker-3 has 10.212.17.0/24, which overlaps 10.212.16.0/22 of worker-1\n");
  });
});

describe("no answer", () => {
  test("to a Txn that was written: it is settled by reading", async () => {
    const { cluster, run } = await scene();
    interfere({ lost: { 1: "answer" } });
    const { out, exitCode } = await run(...CHANGE);
    expect(exitCode).toBe(0);
    expect(out).toContain("\n5 Nodes written, ");
    expect(sentTxns()).toEqual([NAMES]);
    expect(blocksOf(await cluster.nodes())).toEqual(NEW);
  });

  test("to a Txn that was written, while a heartbeat came right after it", async () => {
    const { cluster, run } = await scene();
    interfere({
      lost: { 1: "answer" },
      after: {
        1: async (nodes) => {
          for (const name of nodes) await beat(cluster, name);
        },
      },
    });
    expect((await run(...CHANGE)).exitCode).toBe(0);
    expect(sentTxns()).toEqual([NAMES]);
    expect(await beatsOf(cluster)).toEqual(Object.fromEntries(NAMES.map((name) => [name, `late ${name}`])));
    expect(blocksOf(await cluster.nodes())).toEqual(NEW);
  });

  test("to any Txn of a live cluster: each is settled by reading", async () => {
    const { cluster, run } = await scene(liveCluster("v1.36-single"));
    interfere({ lost: { 1: "answer", 2: "answer", 3: "answer", 4: "answer", 5: "answer" } });
    expect((await run(...CHANGE)).exitCode).toBe(0);
    expect(sentTxns().length).toBe(5);
    expect(blocksOf(await cluster.nodes())).toEqual(NEW);
  });

  test("to a Txn that never arrived: it is sent again", async () => {
    const { cluster, run } = await scene();
    interfere({ lost: { 1: "request", 2: "request" } });
    expect((await run(...CHANGE)).exitCode).toBe(0);
    expect(sentTxns()).toEqual([NAMES, NAMES, NAMES]);
    expect(blocksOf(await cluster.nodes())).toEqual(NEW);
  });

  test("the third time, written all the same: settled by reading", async () => {
    const { cluster, run } = await scene();
    interfere({ lost: { 1: "request", 2: "request", 3: "answer" } });
    expect((await run(...CHANGE)).exitCode).toBe(0);
    expect(blocksOf(await cluster.nodes())).toEqual(NEW);
  });

  test("three times: the run ends, and the outcome is unknown", async () => {
    const { cluster, run } = await scene();
    interfere({ lost: { 1: "request", 2: "request", 3: "request" } });
    const { err, exitCode } = await run(...CHANGE);
    expect(exitCode).toBe(5);
    expect(errorIn(err, cluster)).toMatch(
      new RegExp(
        [
          "^error\\[in-doubt\\]: a Txn of 5 keys was sent and not answered by etcd at http://\\S+",
          "  why:  the connection broke before the answer",
          "  now:  0 of 5 Nodes are written; of what was sent last it is not known",
          "  next: .*`etcdcidr resume ID` goes on, `etcdcidr rollback ID` undoes what is written",
        ].join("\n"),
      ),
    );
    expect((await run("changes")).out).toMatch(/ in doubt +0 /);
    expect(blocksOf(await cluster.nodes())).toEqual(OLD);
  });

  test("and none to the reads that would settle it: the outcome is unknown", async () => {
    const { cluster, run } = await scene();
    interfere({ lost: { 1: "answer" }, silentFrom: 1 });
    const { err, exitCode } = await run(...CHANGE);
    expect(exitCode).toBe(5);
    expect(errorIn(err, cluster)).toMatch(
      new RegExp(
        [
          "^error\\[in-doubt\\]: no answer from http://\\S+ for Txn 0 of 5 keys",
          "  why:  the connection broke before the answer",
          "  now:  0 of 5 Nodes are written; of what was sent last it is not known",
          "  next: .*`etcdcidr resume ID` goes on, `etcdcidr rollback ID` undoes what is written",
        ].join("\n"),
      ),
    );
    interfere({});
    expect((await run("changes")).out).toMatch(/ in doubt +0 /);
    // What the journal says is enough for the way back.
    expect((await run("rollback")).exitCode).toBe(0);
    expect(blocksOf(await cluster.nodes())).toEqual(OLD);
  });

  test("to one Node's Txn while another Node's stops the run: unknown outranks stopped", async () => {
    const { cluster, run } = await scene(liveCluster("v1.36-single"));
    let answer = (): void => undefined;
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    interfere({
      before: {
        1: () => setBlock(cluster, "kube-1", "10.99.0.0/24"),
        // By the time these Nodes are read the first Txn has failed.
        2: () => isAnswered.then(async () => void (await cluster.nodes())),
      },
      after: { 1: async () => answer() },
      lost: { 2: "request" },
      silentFrom: 1,
    });
    const { err, exitCode } = await run(...CHANGE);
    expect(err).toContain("error[in-doubt]: no answer from");
    expect(exitCode).toBe(5);
  });
});

test("an etcd that freezes: the outcome is unknown, and the way back holds whether the Txn lands late or not", async () => {
  const freezing = await startEtcd();
  onTestFinished(() => freezing.stop());
  const cluster = await loadCluster(freezing.endpoint, stoppedCluster("v1.36-single"));
  const run = commandsOver(cluster);
  interfere({ before: { 1: async () => freezing.kill("SIGSTOP") } });
  const { err, exitCode } = await run(...CHANGE, "--command-timeout", "500ms");
  expect(err).toContain("error[in-doubt]: no answer from ");
  expect(exitCode).toBe(5);
  freezing.kill("SIGCONT");
  interfere({});
  await forget(freezing.endpoint);
  expect((await run("rollback")).exitCode).toBe(0);
  expect(blocksOf(await cluster.nodes())).toEqual(OLD);
});

test("reading back fails: what is written is said, exit 6", async () => {
  const { cluster, run } = await scene();
  interfere({ silentFrom: 1 });
  const { err, exitCode } = await run(...CHANGE);
  expect(exitCode).toBe(6);
  expect(err).toContain("error[not-verified]: ");
  expect(err).toContain("  now:  5 Nodes are written, and not read back\n");
  interfere({});
  expect(blocksOf(await cluster.nodes())).toEqual(NEW);
  expect((await run("changes")).out).toMatch(/ not verified +5 /);
});

describe("an etcd that takes less at once", () => {
  test("--max-txn-ops=16: batches are halved until they fit (C75)", async () => {
    const small = await startEtcd({ flags: ["--max-txn-ops=16"] });
    try {
      const cluster = await loadClusterSlowly(small.endpoint, manyNodes(stoppedCluster("v1.36-single"), 100));
      const run = commandsOver(cluster);
      expect((await run("change-pod-cidr", "10.212.0.0/16", "--node-cidr-mask-size", "25")).exitCode).toBe(0);
      expect(Object.values(blocksOf(await cluster.nodes())).every((text) => text.startsWith("10.212."))).toBe(
        true,
      );
      const before = await cluster.dump();
      const { err, exitCode } = await run("rollback", "--one-transaction");
      expect(exitCode).toBe(3);
      expect(errorIn(err, cluster)).toBe(
        [
          "error[refused]: cannot write 100 Nodes in one transaction",
          "  why:  etcd does not take as much at once (its --max-txn-ops or --max-request-bytes is lower than usual)",
          "  now:  none of the 100 Nodes is written",
          "  next: leave out --one-transaction; then run the command again",
          "",
        ].join("\n"),
      );
      expect(rewrittenKeys(before, await cluster.dump())).toEqual([]);
    } finally {
      await small.stop();
    }
  });

  test("--max-request-bytes: the same; one Node that is too large alone is named", async () => {
    const small = await startEtcd({ flags: ["--max-request-bytes=100000"] });
    try {
      const cluster = await loadClusterSlowly(small.endpoint, manyNodes(stoppedCluster("v1.36-single"), 60));
      const run = commandsOver(cluster);
      expect((await run("change-pod-cidr", "10.212.0.0/16", "--node-cidr-mask-size", "25")).exitCode).toBe(0);
      expect((await run("rollback")).exitCode).toBe(0);
      // Small enough for a put, too large for a Txn, which names the key three times.
      const { value = new Uint8Array() } = (await cluster.nodes()).get("node-7") ?? {};
      const large = withFields(value, { "status.nodeInfo.bootID": "x".repeat(99_940 - value.length) });
      await cluster.put("minions/node-7", large);
      const { err, exitCode } = await run("change-pod-cidr", "10.212.0.0/16", "--node-cidr-mask-size", "25");
      expect(exitCode).toBe(4);
      expect(errorIn(err, cluster)).toBe(
        [
          "error[stopped]: cannot write /registry/minions/node-7",
          "  why:  even alone it is more than etcd takes at once",
          "  now:  7 of 60 Nodes are written, not written: node-7, node-8, node-9 and 50 more",
          "  next: raise etcd's --max-request-bytes; then `etcdcidr resume ID` goes on, `etcdcidr rollback ID` undoes what is written",
          "",
        ].join("\n"),
      );
    } finally {
      await small.stop();
    }
  });
});

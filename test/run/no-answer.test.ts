import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { forget, liveCluster, loadCluster, stoppedCluster } from "../harness/cluster.js";
import { type EtcdServer, startEtcd } from "../harness/etcd.js";
import { freeze } from "../harness/freeze.js";
import { interfere, sentTxns } from "../harness/interference.js";
import { blocksOf, commandsOver } from "./round-trip.js";
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

describe("no answer", () => {
  test("to a Txn that was written: it is settled by reading", async () => {
    const { cluster, run } = await sceneOn(server.endpoint);
    interfere({ lost: { 1: "answer" } });
    const { out, exitCode } = await run(...CHANGE);
    expect(exitCode).toBe(0);
    expect(out).toContain("\n5 Nodes written, ");
    expect(sentTxns()).toEqual([NAMES]);
    expect(blocksOf(await cluster.nodes())).toEqual(NEW);
  });

  test("to a Txn that was written, while a heartbeat came right after it", async () => {
    const { cluster, run } = await sceneOn(server.endpoint);
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
    const { cluster, run } = await sceneOn(server.endpoint, liveCluster("v1.36-single"));
    interfere({ lost: { 1: "answer", 2: "answer", 3: "answer", 4: "answer", 5: "answer" } });
    expect((await run(...CHANGE)).exitCode).toBe(0);
    expect(sentTxns().length).toBe(5);
    expect(blocksOf(await cluster.nodes())).toEqual(NEW);
  });

  test("to a Txn that never arrived: it is sent again", async () => {
    const { cluster, run } = await sceneOn(server.endpoint);
    interfere({ lost: { 1: "request", 2: "request" } });
    expect((await run(...CHANGE)).exitCode).toBe(0);
    expect(sentTxns()).toEqual([NAMES, NAMES, NAMES]);
    expect(blocksOf(await cluster.nodes())).toEqual(NEW);
  });

  test("the third time, written all the same: settled by reading", async () => {
    const { cluster, run } = await sceneOn(server.endpoint);
    interfere({ lost: { 1: "request", 2: "request", 3: "answer" } });
    expect((await run(...CHANGE)).exitCode).toBe(0);
    expect(blocksOf(await cluster.nodes())).toEqual(NEW);
  });

  test("three times: the run ends, and the outcome is unknown", async () => {
    const { cluster, run } = await sceneOn(server.endpoint);
    interfere({ lost: { 1: "request", 2: "request", 3: "request" } });
    const { out, err, exitCode } = await run(...CHANGE, "-o", "json");
    expect(exitCode).toBe(5);
    const left = Object.keys(OLD).map((name) => `${cluster.prefix}/minions/${name}`);
    expect(JSON.parse(out)).toMatchObject({
      state: "in-doubt",
      written: {},
      left,
      error: { code: "in-doubt" },
    });
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
    expect((await run("changes")).out).toMatch(/ in-doubt +0 to 5 of 5 /);
    expect(blocksOf(await cluster.nodes())).toEqual(OLD);
  });

  test("and none to the reads that would settle it: the outcome is unknown", async () => {
    const { cluster, run } = await sceneOn(server.endpoint);
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
    expect((await run("changes")).out).toMatch(/ in-doubt +0 to 5 of 5 /);
    // What the journal says is enough for the way back.
    expect((await run("rollback")).exitCode).toBe(0);
    expect(blocksOf(await cluster.nodes())).toEqual(OLD);
  });

  test("to one Node's Txn while another Node's stops the run: unknown outranks stopped", async () => {
    const { cluster, run } = await sceneOn(server.endpoint, liveCluster("v1.36-single"));
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
  interfere({ before: { 1: () => freeze(freezing) } });
  const { err, exitCode } = await run(...CHANGE, "--command-timeout", "2s");
  expect(err).toContain("error[in-doubt]: no answer from ");
  expect(exitCode).toBe(5);
  freezing.kill("SIGCONT");
  interfere({});
  await forget(freezing.endpoint);
  expect((await run("rollback")).exitCode).toBe(0);
  expect(blocksOf(await cluster.nodes())).toEqual(OLD);
});

test("reading back fails: what is written is said, exit 6", async () => {
  const { cluster, run } = await sceneOn(server.endpoint);
  interfere({ silentFrom: 1 });
  const { out, err, exitCode } = await run(...CHANGE, "-o", "json");
  expect(exitCode).toBe(6);
  expect(JSON.parse(out)).toMatchObject({ state: "not-verified", left: [], error: { code: "not-verified" } });
  expect(Object.keys(JSON.parse(out).written)).toHaveLength(5);
  expect(err).toContain("error[not-verified]: ");
  expect(err).toContain("  now:  5 Nodes are written, and not read back\n");
  interfere({});
  expect(blocksOf(await cluster.nodes())).toEqual(NEW);
  expect((await run("changes")).out).toMatch(/ not-verified +5 /);
});

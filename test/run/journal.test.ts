import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { liveCluster, loadCluster, manyNodes, stoppedCluster } from "../harness/cluster.js";
import { type EtcdServer, startEtcd } from "../harness/etcd.js";
import { canMakeReadOnly, canMount, readOnlyFolder, smallDisk, temporaryFolder } from "../harness/folder.js";
import { interfere, interfered, sentTxns } from "../harness/interference.js";
import {
  tracedEtcd,
  tracedRecords,
  tracedStore,
  tracedTxns,
  traceFromHere,
} from "../harness/journal-trace.js";
import { blocksOf, commandsOver, rewrittenKeys } from "./round-trip.js";

vi.mock("../../src/adapters/endpoint.js", async (importActual) => {
  const actual = await importActual<typeof import("../../src/adapters/endpoint.js")>();
  return {
    ...actual,
    connectEtcd: async (...args: Parameters<typeof actual.connectEtcd>) => {
      const connected = await actual.connectEtcd(...args);
      return { ...connected, etcd: interfered(tracedEtcd(connected.etcd)) };
    },
  };
});

vi.mock("../../src/adapters/journal-files.js", async (importActual) => {
  const actual = await importActual<typeof import("../../src/adapters/journal-files.js")>();
  return {
    ...actual,
    openJournalStore: (...args: Parameters<typeof actual.openJournalStore>) =>
      tracedStore(actual.openJournalStore(...args)),
  };
});

let server: EtcdServer;
beforeAll(async () => {
  server = await startEtcd();
});
afterAll(() => server.stop());
beforeEach(() => {
  interfere({});
  traceFromHere();
});

const CHANGE = ["change-pod-cidr", "10.212.0.0/16", "--node-cidr-mask-size", "22"];
const MANY = ["change-pod-cidr", "10.212.0.0/16", "--node-cidr-mask-size", "25"];

describe("before a Txn is sent, the originals and what is sent are on disk", () => {
  const inOrder = (nodes: number) => ({ nodes, unannounced: [], withoutOriginal: [], ready: true });

  test("all in one Txn", async () => {
    const cluster = await loadCluster(server.endpoint, stoppedCluster("v1.36-single"));
    await commandsOver(cluster)(...CHANGE);
    expect(tracedTxns()).toEqual([inOrder(5)]);
    expect(tracedRecords().map(({ type }) => type)).toEqual([
      "begin",
      ...["original", "original", "original", "original", "original"],
      "ready",
      "intent",
      "committed",
      "end",
    ]);
  });

  test("in batches", async () => {
    const cluster = await loadCluster(server.endpoint, manyNodes(stoppedCluster("v1.36-single"), 300));
    await commandsOver(cluster)(...MANY);
    expect(tracedTxns()).toEqual([64, 64, 64, 64, 44].map(inOrder));
  });

  test("one Node a Txn, 16 in flight", async () => {
    const cluster = await loadCluster(server.endpoint, manyNodes(liveCluster("v1.36-single"), 100));
    await commandsOver(cluster)(...MANY);
    expect(tracedTxns()).toEqual(Array.from({ length: 100 }, () => inOrder(1)));
  });

  test("also what is sent again, spliced into newer bytes, and in halves", async () => {
    const cluster = await loadCluster(server.endpoint, stoppedCluster("v1.36-single"));
    const late = () => cluster.touch("worker-1", { "status.nodeInfo.bootID": `${sentTxns().length}` });
    interfere({ before: { 1: late, 2: late, 3: late }, lost: { 4: "request" } });
    await commandsOver(cluster)(...CHANGE);
    // The interference loses the fourth before it reaches the trace.
    expect(tracedTxns()).toEqual([5, 5, 5, 3, 2].map(inOrder));
  });

  test("also in a rollback", async () => {
    const cluster = await loadCluster(server.endpoint, stoppedCluster("v1.36-single"));
    const run = commandsOver(cluster);
    await run(...CHANGE);
    traceFromHere();
    await run("rollback");
    expect(tracedTxns()).toEqual([inOrder(5)]);
  });
});

describe("a disk that is full", () => {
  test("while the originals are written: nothing is sent", async () => {
    const cluster = await loadCluster(server.endpoint, stoppedCluster("v1.36-single"));
    const before = await cluster.dump();
    traceFromHere(1);
    const { err, exitCode } = await commandsOver(cluster)(...CHANGE);
    expect(exitCode).toBe(3);
    expect(err).toContain("error[journal-unusable]: cannot keep a journal in ");
    expect(err).toContain("  now:  nothing was written\n");
    expect(sentTxns()).toEqual([]);
    expect(rewrittenKeys(before, await cluster.dump())).toEqual([]);
  });

  test("when the first Txn is announced: nothing is sent", async () => {
    const cluster = await loadCluster(server.endpoint, stoppedCluster("v1.36-single"));
    const before = await cluster.dump();
    traceFromHere(2);
    const { err, exitCode } = await commandsOver(cluster)(...CHANGE);
    expect(exitCode).toBe(3);
    expect(err).toContain("error[refused]: cannot keep a journal in ");
    expect(err).toContain("  now:  none of the 5 Nodes is written\n");
    expect(sentTxns()).toEqual([]);
    expect(rewrittenKeys(before, await cluster.dump())).toEqual([]);
  });

  test("when a later Txn is announced: it is not sent, those before it stand", async () => {
    const cluster = await loadCluster(server.endpoint, manyNodes(stoppedCluster("v1.36-single"), 300));
    traceFromHere(3);
    const run = commandsOver(cluster);
    const { err, exitCode } = await run(...MANY);
    expect(exitCode).toBe(4);
    expect(err).toContain("error[stopped]: cannot keep a journal in ");
    expect(err).toContain("  why:  ENOSPC: no space left on device, write\n");
    const sent = sentTxns().flat().length;
    expect(err).toContain(
      `  now:  ${sent} of 300 Nodes are written, not written: node-${sent}, node-${sent + 1}, `,
    );
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThan(300);
    const isNew = (block: string) => block.startsWith("10.212.");
    expect(Object.values(blocksOf(await cluster.nodes())).filter(isNew).length).toBe(sent);
    traceFromHere();
    expect((await run("rollback")).exitCode).toBe(0);
    const blocks = Object.values(blocksOf(await cluster.nodes()));
    expect(blocks.every((block) => block.startsWith("10.112."))).toBe(true);
  });

  test("when the end is written down: what is done is done", async () => {
    const cluster = await loadCluster(server.endpoint, stoppedCluster("v1.36-single"));
    traceFromHere(3);
    const { out, err, exitCode } = await commandsOver(cluster)(...CHANGE);
    expect(out).toContain("\n5 Nodes written, read back at revision ");
    expect(err).toContain("warning: how the run ended could not be written down: ENOSPC");
    expect(exitCode).toBe(0);
  });

  test.skipIf(!canMount)("too small for the journal: found out before the operator is asked", async () => {
    const cluster = await loadCluster(server.endpoint, stoppedCluster("v1.36-single"));
    const disk = smallDisk(512 * 1024);
    const { err, exitCode } = await commandsOver(cluster, disk)(...CHANGE);
    expect(exitCode).toBe(3);
    expect(err).toContain(
      `error[journal-unusable]: cannot keep a journal in ${disk}\n  why:  it takes up to 2 MB, and 0 MB are free\n`,
    );
    expect(tracedRecords()).toEqual([]);
  });

  test.skipIf(!canMount)("a real one, in mid-run", async () => {
    const cluster = await loadCluster(server.endpoint, manyNodes(stoppedCluster("v1.36-single"), 300));
    const disk = smallDisk(6 * 1024 * 1024);
    const run = commandsOver(cluster, disk);
    const fill = async () => {
      expect(() => writeFileSync(join(disk, "filler"), Buffer.alloc(8 * 1024 * 1024))).toThrow("ENOSPC");
    };
    interfere({ before: { 1: fill } });
    const { err, exitCode } = await run(...MANY);
    expect(err).toContain("error[stopped]: cannot keep a journal in ");
    expect(err).toContain("  why:  ENOSPC: no space left on device, write\n");
    expect(exitCode).toBe(4);
    const isNew = (block: string) => block.startsWith("10.212.");
    expect(Object.values(blocksOf(await cluster.nodes())).filter(isNew).length).toBe(
      sentTxns().flat().length,
    );
  });
});

test.skipIf(!canMakeReadOnly)("a read-only directory is found out before the operator is asked", async () => {
  const cluster = await loadCluster(server.endpoint, stoppedCluster("v1.36-single"));
  const directory = join(readOnlyFolder(), "journals");
  const { err, exitCode } = await commandsOver(cluster, directory)(...CHANGE);
  expect(exitCode).toBe(3);
  expect(err).toMatch(/error\[journal-unusable\]: cannot keep a journal in .*\n {2}why: {2}(EROFS|EACCES): /);
  expect(sentTxns()).toEqual([]);
});

test("a dry run needs no journal", async () => {
  const cluster = await loadCluster(server.endpoint, stoppedCluster("v1.36-single"));
  const directory = join(temporaryFolder(), "a file");
  writeFileSync(directory, "");
  expect((await commandsOver(cluster, directory)(...CHANGE, "--dry-run")).exitCode).toBe(0);
});

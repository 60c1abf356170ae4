import { beforeEach, describe, expect, test, vi } from "vitest";
import { loadClusterSlowly, manyNodes, stoppedCluster, withFields } from "../harness/cluster.js";
import { startEtcd } from "../harness/etcd.js";
import { interfere } from "../harness/interference.js";
import { blocksOf, commandsOver, rewrittenKeys } from "./round-trip.js";
import { errorIn } from "./scene.js";

vi.mock("../../src/adapters/endpoint.js", async (importActual) => {
  const { interferedEndpoints } = await import("./scene.js");
  return interferedEndpoints(await importActual<typeof import("../../src/adapters/endpoint.js")>());
});

beforeEach(() => interfere({}));

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

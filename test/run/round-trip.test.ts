import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { liveCluster, loadCluster, manyNodes, stoppedCluster, withFields } from "../harness/cluster.js";
import { type EtcdServer, startEtcd } from "../harness/etcd.js";
import { blocksOf, bytesOf, commandsOver, rewrittenKeys, roundTrip } from "./round-trip.js";

let server: EtcdServer;
beforeAll(async () => {
  server = await startEtcd();
});
afterAll(() => server.stop());

const CHANGE = ["10.212.0.0/16", "--node-cidr-mask-size", "22"];
/** Each recorded cluster, and its Nodes' blocks of /22 by the indexes that their blocks of /24 have. */
const RECORDED = [
  ["v1.36-single", nodesAt("0.0", "4.0", "8.0", "16.0", "24.0")],
  ["v1.33-dual-write", nodesAt("0.0", "8.0", "12.0", "16.0", "20.0")],
  ["v1.32-bitmap", nodesAt("0.0", "4.0", "8.0", "12.0", "16.0")],
] as const;

function nodesAt(...places: readonly string[]): Record<string, string> {
  const names = ["kube-1", "kube-2", "kube-3", "worker-1", "worker-2"];
  return Object.fromEntries(names.map((name, index) => [name, `10.212.${places[index]}/22`]));
}

const NODE_KEYS = ["kube-1", "kube-2", "kube-3", "worker-1", "worker-2"].map((name) => `minions/${name}`);

const revisionsOf = (nodes: ReadonlyMap<string, { readonly modRevision: bigint }>) =>
  new Set([...nodes.values()].map(({ modRevision }) => modRevision));

describe.each(RECORDED)("the recorded cluster %s", (fixture, wanted) => {
  test("comes back to its bytes, stopped: all Nodes in one Txn", async () => {
    const nodes = await roundTrip(await loadCluster(server.endpoint, stoppedCluster(fixture)), CHANGE);
    expect(blocksOf(nodes)).toEqual(wanted);
    expect(revisionsOf(nodes).size).toBe(1);
  });

  test("comes back to its bytes, live: no two Nodes of one revision", async () => {
    const nodes = await roundTrip(await loadCluster(server.endpoint, liveCluster(fixture)), CHANGE);
    expect(blocksOf(nodes)).toEqual(wanted);
    expect(revisionsOf(nodes).size).toBe(5);
  });

  test("live, and all in one transaction as asked for", async () => {
    const cluster = await loadCluster(server.endpoint, liveCluster(fixture));
    const nodes = await roundTrip(cluster, [...CHANGE, "--one-transaction"]);
    expect(blocksOf(nodes)).toEqual(wanted);
    expect(revisionsOf(nodes).size).toBe(1);
  });

  test("only the keys of the plan are written", async () => {
    const cluster = await loadCluster(server.endpoint, liveCluster(fixture));
    const run = commandsOver(cluster);
    const before = await cluster.dump();
    await run("change-pod-cidr", ...CHANGE);
    const after = await cluster.dump();
    expect(rewrittenKeys(before, after)).toEqual(NODE_KEYS);
    await run("change-pod-cidr", ...CHANGE, "--node", "worker-1");
    expect(rewrittenKeys(after, await cluster.dump())).toEqual([]);
  });
});

test("numbered without gaps, the store is what the recorded one was after such a change, byte for byte", async () => {
  const cluster = await loadCluster(server.endpoint, stoppedCluster("v1.36-single"));
  await commandsOver(cluster)("change-pod-cidr", ...CHANGE, "--mapping", "compact");
  const recorded = stoppedCluster("v1.36-single.after-pod-change").filter(({ key }) =>
    key.startsWith("minions/"),
  );
  const nodes = [...(await cluster.dump())].filter(([key]) => key.startsWith("minions/"));
  expect(nodes.map(([key, { value }]) => ({ key, value: Buffer.from(value).toString("hex") }))).toEqual(
    recorded.map(({ key, value }) => ({ key, value: Buffer.from(value).toString("hex") })),
  );
});

test("one Node asked for by name is the only one that is written", async () => {
  const cluster = await loadCluster(server.endpoint, stoppedCluster("v1.36-single"));
  const before = await cluster.dump();
  await commandsOver(cluster)("change-pod-cidr", ...CHANGE, "--node", "worker-2");
  expect(rewrittenKeys(before, await cluster.dump())).toEqual(["minions/worker-2"]);
  expect(blocksOf(await cluster.nodes())).toEqual({
    "kube-1": "10.112.0.0/24",
    "kube-2": "10.112.1.0/24",
    "kube-3": "10.112.2.0/24",
    "worker-1": "10.112.4.0/24",
    "worker-2": "10.212.24.0/22",
  });
});

describe("300 Nodes", () => {
  const keys = manyNodes(stoppedCluster("v1.36-single"), 300);
  const TARGET = ["10.212.0.0/16", "--node-cidr-mask-size", "25"];
  const WANTED = Object.fromEntries(
    Array.from({ length: 300 }, (_empty, index) => [
      `node-${index}`,
      `10.212.${index >> 1}.${(index & 1) * 128}/25`,
    ]),
  );

  test("go in batches of 64, and come back to their bytes", async () => {
    const nodes = await roundTrip(await loadCluster(server.endpoint, keys), TARGET);
    expect(blocksOf(nodes)).toEqual(WANTED);
    const sizes = [...revisionsOf(nodes)].map(
      (revision) => [...nodes.values()].filter(({ modRevision }) => modRevision === revision).length,
    );
    expect(sizes.toSorted((left, right) => right - left)).toEqual([64, 64, 64, 64, 44]);
  });

  test("go one by one while an API server lives", async () => {
    const live = [...keys, { key: "masterleases/192.0.2.10", value: Buffer.from("k8s\0") }];
    const nodes = await roundTrip(await loadCluster(server.endpoint, live), TARGET);
    expect(blocksOf(nodes)).toEqual(WANTED);
    expect(revisionsOf(nodes).size).toBe(300);
  });

  test("do not fit into one transaction, and nothing is written", async () => {
    const cluster = await loadCluster(server.endpoint, keys);
    const before = await cluster.dump();
    const { err, exitCode } = await commandsOver(cluster)("change-pod-cidr", ...TARGET, "--one-transaction");
    expect(exitCode).toBe(3);
    expect(err).toMatch(/^error\[too-large\]: cannot make this change in one transaction$/m);
    expect(err).toMatch(/^ {2}why: {2}300 keys of \d+ bytes; one Txn takes 127 keys and 1048576 bytes$/m);
    expect(rewrittenKeys(before, await cluster.dump())).toEqual([]);
  });
});

test.each([
  [127, [127]],
  [128, [64, 64]],
])("%i Nodes, with the lock's compare, go in Txns of %j", async (count, wanted) => {
  const cluster = await loadCluster(server.endpoint, manyNodes(stoppedCluster("v1.36-single"), count));
  await commandsOver(cluster)("change-pod-cidr", "10.212.0.0/16", "--node-cidr-mask-size", "25");
  const nodes = await cluster.nodes();
  expect(Object.values(blocksOf(nodes)).filter((block) => !block.startsWith("10.212."))).toEqual([]);
  const sizes = [...revisionsOf(nodes)].map(
    (revision) => [...nodes.values()].filter(({ modRevision }) => modRevision === revision).length,
  );
  expect(sizes).toEqual(wanted);
});

test("Nodes of 150 KB are joined up to 1 MiB", async () => {
  const cluster = await loadCluster(
    server.endpoint,
    manyNodes(stoppedCluster("v1.36-single"), 25).map(({ key, value }) => ({
      key,
      value: key.startsWith("minions/")
        ? withFields(value, { "status.nodeInfo.bootID": "x".repeat(150_000) })
        : value,
    })),
  );
  const nodes = await roundTrip(cluster, ["10.212.0.0/16", "--node-cidr-mask-size", "25"]);
  const sizes = [...revisionsOf(nodes)].map(
    (revision) => [...nodes.values()].filter(({ modRevision }) => modRevision === revision).length,
  );
  expect(sizes).toEqual([6, 6, 6, 6, 1]);
});

test("an encrypted cluster is refused by key name, and nothing is written", async () => {
  const cluster = await loadCluster(server.endpoint, liveCluster("v1.36-dual-encrypted"));
  const before = await cluster.dump();
  const { out, err, exitCode } = await commandsOver(cluster)(
    "change-pod-cidr",
    "10.212.0.0/16",
    "--node-cidr-mask-size",
    "22",
  );
  expect(exitCode).toBe(3);
  expect(err).toContain("error[blocked]: the plan is blocked by unreadable\n");
  expect(out).toContain("it is encrypted at rest (k8s:enc:aescbc)");
  for (const key of NODE_KEYS.slice(0, 3)) expect(out).toContain(`${cluster.prefix}/${key}`);
  const after = await cluster.dump();
  expect(rewrittenKeys(before, after)).toEqual([]);
  expect(bytesOf(after)).toEqual(bytesOf(before));
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { type Cluster, loadCluster, plainCluster } from "../harness/cluster.js";
import { type EtcdServer, startEtcd } from "../harness/etcd.js";
import { commandsOver, type Run } from "./round-trip.js";

let server: EtcdServer;
beforeAll(async () => {
  server = await startEtcd();
});
afterAll(() => server.stop());

const CHANGE = ["change-pod-cidr", "10.212.0.0/16", "--node-cidr-mask-size", "22"];
const PATH = "minions/worker-1";

interface Scene {
  readonly cluster: Cluster;
  readonly run: Run;
  readonly key: string;
  /** The Node's bytes before the change. */
  readonly original: Uint8Array;
}

/** A change, and after it a Node that is cut to half its bytes. */
async function cutNode(): Promise<Scene> {
  const cluster = await loadCluster(server.endpoint, plainCluster("v1.36-single"));
  const run = commandsOver(cluster);
  const original = (await cluster.nodes()).get("worker-1")?.value ?? new Uint8Array();
  expect((await run(...CHANGE)).exitCode).toBe(0);
  await cluster.put(PATH, original.subarray(0, original.length / 2));
  return { cluster, run, key: `${cluster.prefix}/${PATH}`, original };
}

const storedValue = async ({ cluster }: Scene) => (await cluster.dump()).get(PATH)?.value;

test("the journal's bytes go over a value that nobody can decode, and what is lost is said", async () => {
  const scene = await cutNode();
  const { run, key, original } = scene;
  expect((await run("rollback")).err).toContain("error[blocked]: the plan is blocked by unreadable");
  const dry = await run("rollback", "--restore-unreadable", key, "--dry-run");
  expect(dry.exitCode).toBe(0);
  expect(dry.out).toContain(`warning[lost]: whatever was written to ${key} after revision`);
  expect(dry.out).toMatch(/worker-1 +unreadable +10\.112\.4\.0\/24 +bytes of /);
  const restored = await run("rollback", "--restore-unreadable", key);
  expect(restored.exitCode).toBe(0);
  expect(await storedValue(scene)).toEqual(original);
  expect((await run("changes")).out).toContain("restore-unreadable");
});

test("afterwards the change is rolled back as if nothing had been", async () => {
  const scene = await cutNode();
  const { cluster, run, key } = scene;
  await run("rollback", "--restore-unreadable", key);
  expect((await run("rollback")).exitCode).toBe(0);
  const nodes = await cluster.nodes();
  expect([...nodes.values()].map(({ podCidr }) => podCidr)).toEqual([
    "10.112.0.0/24",
    "10.112.1.0/24",
    "10.112.2.0/24",
    "10.112.4.0/24",
    "10.112.6.0/24",
  ]);
});

test("an object of another kind is no Node, and is replaced", async () => {
  const scene = await cutNode();
  const { cluster, run, key, original } = scene;
  const [pod] = plainCluster("v1.36-single").filter(({ key: path }) => path.startsWith("pods/"));
  await cluster.put(PATH, pod?.value ?? new Uint8Array());
  expect((await run("verify")).out).toContain(`${key}: it is a Pod and no Node`);
  expect((await run("rollback", "--restore-unreadable", key)).exitCode).toBe(0);
  expect(await storedValue(scene)).toEqual(original);
});

test("a value that can be read is never replaced", async () => {
  const cluster = await loadCluster(server.endpoint, plainCluster("v1.36-single"));
  const run = commandsOver(cluster);
  await run(...CHANGE);
  const before = await cluster.dump();
  const { err, exitCode } = await run("rollback", "--restore-unreadable", `${cluster.prefix}/${PATH}`);
  expect([exitCode, err]).toEqual([3, expect.stringContaining("why:  its value of today can be read")]);
  expect(await cluster.dump()).toEqual(before);
});

test("nor is one that is encrypted: others may read it", async () => {
  const scene = await cutNode();
  await scene.cluster.put(PATH, Buffer.from("k8s:enc:aescbc:v1:key1:...."));
  const { err, exitCode } = await scene.run("rollback", "--restore-unreadable", scene.key);
  expect([exitCode, err]).toEqual([3, expect.stringContaining("that etcdcidr cannot read it does not mean")]);
});

test.each([
  ["a key that no journal has", "minions/unknown", "no journal here of this cluster has that key"],
  ["a Node that was deleted", PATH, "etcd holds no such key any more: its Node was deleted"],
])("%s is named", async (_what, path, why) => {
  const { cluster, run } = await cutNode();
  await cluster.delete(PATH);
  const { err, exitCode } = await run("rollback", "--restore-unreadable", `${cluster.prefix}/${path}`);
  expect([exitCode, err]).toEqual([1, expect.stringContaining(`why:  ${why}`)]);
});

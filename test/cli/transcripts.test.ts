import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Cluster,
  type ClusterKey,
  loadRegistry,
  manyNodes,
  plainCluster,
  stoppedCluster,
  withFields,
} from "../harness/cluster.js";
import { type EtcdServer, startEtcd } from "../harness/etcd.js";
import { openTerminal, type Terminal } from "../harness/terminal.js";

let server: EtcdServer;
beforeAll(async () => {
  server = await startEtcd();
});
afterAll(() => server.stop());

const CHANGE = "change-pod-cidr 10.212.0.0/16 --node-cidr-mask-size 22";

async function scene(
  keys: readonly ClusterKey[] = plainCluster("v1.36-single"),
): Promise<{ cluster: Cluster; terminal: Terminal }> {
  return {
    cluster: await loadRegistry(server.endpoint, keys),
    terminal: openTerminal(server.endpoint),
  };
}

async function joinNode(cluster: Cluster, name: string, block: string): Promise<void> {
  const model = (await cluster.nodes()).get("worker-1")?.value ?? new Uint8Array();
  const fields = { "metadata.name": name, "metadata.uid": `uid of ${name}` };
  const blocks = { "spec.podCIDR": block, "spec.podCIDRs": [block] };
  await cluster.put(`minions/${name}`, withFields(model, { ...fields, ...blocks }));
}

test("a dry run", async () => {
  const { terminal } = await scene(stoppedCluster("v1.36-single"));
  expect((await terminal.run(`${CHANGE} --dry-run`)).exitCode).toBe(0);
  expect((await terminal.run(`${CHANGE} --mapping compact --node worker-1 --dry-run`)).exitCode).toBe(0);
  terminal.expectTranscript("dry-run");
});

test("a change and its way back", async () => {
  const { terminal } = await scene(stoppedCluster("v1.36-single"));
  await terminal.run(`${CHANGE} --yes`);
  await terminal.run("changes");
  await terminal.run(`${CHANGE} --yes`);
  await terminal.run("rollback --dry-run");
  await terminal.run("rollback --yes");
  await terminal.run("changes");
  await terminal.run("rollback --yes");
  terminal.expectTranscript("change-and-rollback");
});

test("verify before and after a change", async () => {
  const { terminal } = await scene(stoppedCluster("v1.32-bitmap"));
  await terminal.run("verify");
  await terminal.run(`${CHANGE} --yes`);
  await terminal.run("verify --pod-cidr 10.212.0.0/16 --service-cidr 10.96.0.0/16");
  terminal.expectTranscript("verify");
});

test("a change while an API server lives", async () => {
  const { terminal } = await scene([
    ...plainCluster("v1.36-single"),
    { key: "masterleases/192.0.2.10", value: Buffer.from("k8s\0") },
  ]);
  await terminal.run(`${CHANGE} --one-transaction --dry-run`);
  await terminal.run(`${CHANGE} --yes`);
  terminal.expectTranscript("live");
});

test("many Nodes", async () => {
  const { terminal } = await scene(manyNodes(plainCluster("v1.36-single"), 130));
  await terminal.run("change-pod-cidr 10.212.0.0/16 --node-cidr-mask-size 25 --yes");
  terminal.expectTranscript("many-nodes");
});

test("a dual-stack cluster", async () => {
  const { cluster, terminal } = await scene();
  for (const [name, { podCidrs }] of await cluster.nodes()) {
    const [v4 = ""] = podCidrs;
    await cluster.touch(name, { "spec.podCIDRs": [v4, `fd00:10:112:${v4.split(".")[2]}::/64`] });
  }
  await terminal.run(
    "change-pod-cidr 10.212.0.0/16,fd00:10:212::/48 --node-cidr-mask-size-ipv4 22 --node-cidr-mask-size-ipv6 64 --yes",
  );
  await terminal.run("change-pod-cidr fd00:10:213::/48 --yes");
  await terminal.run("changes");
  terminal.expectTranscript("dual-stack");
});

test("blocked, and accepted", async () => {
  const { terminal } = await scene();
  expect((await terminal.run("change-pod-cidr 172.168.0.0/16 --yes")).exitCode).toBe(3);
  expect((await terminal.run("change-pod-cidr 172.168.0.0/16 --accept not-private --dry-run")).exitCode).toBe(
    0,
  );
  expect((await terminal.run("change-pod-cidr 10.96.0.0/15 --yes")).exitCode).toBe(3);
  expect((await terminal.run("change-pod-cidr 10.212.0.0/22 --accept capacity --yes")).exitCode).toBe(2);
  expect((await terminal.run("change-pod-cidr 10.212.0.0/16 --node-cidr-mask-size 15")).exitCode).toBe(3);
  terminal.expectTranscript("blocked");
});

test("an encrypted cluster", async () => {
  const { terminal } = await scene(stoppedCluster("v1.36-dual-encrypted"));
  expect((await terminal.run(`${CHANGE} --yes`)).exitCode).toBe(3);
  terminal.expectTranscript("encrypted");
});

test("somebody is asked", async () => {
  const { cluster, terminal } = await scene();
  expect((await terminal.run(CHANGE)).exitCode).toBe(2);
  expect((await terminal.ask(CHANGE, "yes")).exitCode).toBe(3);
  expect((await terminal.ask(CHANGE, undefined)).exitCode).toBe(130);
  expect((await cluster.nodes()).get("worker-1")?.podCidr).toBe("10.112.4.0/24");
  expect((await terminal.ask(CHANGE, " 5 ")).exitCode).toBe(0);
  expect((await terminal.ask("rollback", "1")).exitCode).toBe(3);
  expect((await terminal.ask("change-pod-cidr 10.213.0.0/16 --node worker-1", "1")).exitCode).toBe(0);
  terminal.expectTranscript("asked");
});

test("what cannot be meant", async () => {
  const { terminal } = await scene();
  const lines = [
    "change-pod-cidr",
    "change-pods 10.212.0.0/16",
    "change-pod-cidr 10.212.0.0/16 10.213.0.0/16",
    "change-pod-cidr 10.212.0.0/16 --mask 22",
    "change-pod-cidr 10.212.0.0/16 --mapping random",
    "change-pod-cidr 10.212.0.0/16 --node-cidr-mask-size /22",
    "change-pod-cidr 10.212.0.0/16 --node-cidr-mask-size",
    "change-pod-cidr 172.20.0.0/12",
    "change-pod-cidr 10.212.0.0",
    "change-pod-cidr 10.212.0.0/16,10.213.0.0/16",
    "change-pod-cidr 10.212.0.0/16,fd00::/48 --node-cidr-mask-size 24",
    "change-pod-cidr 10.212.0.0/16 --node-cidr-mask-size 24 --node-cidr-mask-size-ipv4 24",
    "change-pod-cidr 10.212.0.0/16 --node-cidr-mask-size-ipv6 64",
    "change-pod-cidr 10.212.0.0/16 --node-cidr-mask-size 33",
    "change-pod-cidr 10.212.0.0/16 --reserved 10.0.0.1/8",
    "changes -o xml",
    "changes --command-timeout soon",
    "changes --endpoints ftp://127.0.0.1:2379",
  ];
  for (const line of lines) expect((await terminal.run(line)).exitCode).toBe(2);
  expect((await terminal.run("change-pod-cidr 10.212.0.0/16 --node worker-9 --dry-run")).exitCode).toBe(1);
  terminal.expectTranscript("bad-usage");
});

test("not the etcd that is meant", async () => {
  const { cluster, terminal } = await scene();
  await terminal.run(`${CHANGE} --dry-run --prefix /kubernetes.io`);
  await terminal.run(`${CHANGE} --dry-run --endpoints 127.0.0.1:1`);
  for (const key of (await cluster.dump()).keys()) await cluster.delete(key);
  terminal.note("an etcd without a cluster");
  await terminal.run(`${CHANGE} --dry-run`);
  terminal.expectTranscript("wrong-etcd");
});

test("a saved plan", async () => {
  const { cluster, terminal } = await scene();
  await terminal.run(`${CHANGE} --node worker-1 --node worker-2 --dry-run --out plan.json`);
  await terminal.run("apply plan.json --dry-run");
  terminal.note("worker-2 is given another block");
  await cluster.touch("worker-2", { "spec.podCIDR": "10.112.9.0/24", "spec.podCIDRs": ["10.112.9.0/24"] });
  await terminal.run("apply plan.json --yes");
  terminal.note("worker-2 is given its block back");
  await cluster.touch("worker-2", { "spec.podCIDR": "10.112.6.0/24", "spec.podCIDRs": ["10.112.6.0/24"] });
  await terminal.run("apply plan.json --yes");
  await terminal.run("apply plan.json --yes");
  await terminal.run("rollback --dry-run --out back.json");
  await terminal.run("apply back.json --yes");
  terminal.note("another cluster: its namespace kube-system has another uid");
  const namespace = (await cluster.dump()).get("namespaces/kube-system")?.value ?? new Uint8Array();
  await cluster.put("namespaces/kube-system", withFields(namespace, { "metadata.uid": "another" }));
  await terminal.run("apply plan.json --yes");
  await terminal.run("rollback --yes");
  terminal.note("the file is altered");
  const path = join(terminal.folder, "plan.json");
  writeFileSync(path, readFileSync(path, "utf8").replace("10.212.16.0/22", "10.212.20.0/22"));
  await terminal.run("apply plan.json --yes");
  writeFileSync(path, "no plan");
  await terminal.run("apply plan.json --yes");
  await terminal.run("apply absent.json --yes");
  terminal.expectTranscript("saved-plan");
});

test("a rollback that is refused, and the order that works", async () => {
  const { terminal } = await scene();
  const first = await terminal.run("change-pod-cidr 10.212.0.0/16 --node worker-1 --yes");
  const [, id = ""] = /\(change (\S+)\)/.exec(first.out) ?? [];
  await terminal.run("change-pod-cidr 10.213.0.0/16 --node worker-1 --yes");
  expect((await terminal.run(`rollback ${id} --yes`)).exitCode).toBe(3);
  await terminal.run("rollback --yes");
  await terminal.run("rollback --yes");
  await terminal.run(`rollback ${id} --yes`);
  await terminal.run("rollback 20200101-000000-abcdef");
  await terminal.run("changes");
  terminal.expectTranscript("rollback-order");
});

test("a rollback over Nodes that came, went and were changed since", async () => {
  const { cluster, terminal } = await scene();
  await terminal.run(`${CHANGE} --yes`);
  terminal.note("worker-3 joins, kube-2 is deleted, kube-3 has a heartbeat, worker-2 is given another block");
  await joinNode(cluster, "worker-3", "10.212.60.0/22");
  await cluster.delete("minions/kube-2");
  await cluster.touch("kube-3", { "status.nodeInfo.bootID": "beat" });
  await cluster.touch("worker-2", { "spec.podCIDR": "10.212.32.0/22", "spec.podCIDRs": ["10.212.32.0/22"] });
  expect((await terminal.run("rollback --yes")).exitCode).toBe(3);
  expect((await terminal.run("rollback --leave-new-nodes --accept changed-since --dry-run")).exitCode).toBe(
    0,
  );
  expect((await terminal.run("rollback --accept changed-since --yes")).exitCode).toBe(0);
  const nodes = await cluster.nodes();
  expect([...nodes].map(([name, { podCidr, beat }]) => `${name} ${podCidr} ${beat}`)).toEqual([
    "kube-1 10.112.0.0/24 boot-0",
    "kube-3 10.112.2.0/24 beat",
    "worker-1 10.112.4.0/24 boot-3",
    "worker-2 10.212.32.0/22 boot-4",
    "worker-3 10.112.15.0/24 boot-3",
  ]);
  terminal.expectTranscript("rollback-since");
});

test("a Node joins while the operator reads the plan", async () => {
  const { cluster, terminal } = await scene();
  const run = await terminal.run(CHANGE, {
    interactive: true,
    ask: async () => {
      await joinNode(cluster, "worker-3", "10.112.7.0/24");
      return "5";
    },
  });
  expect(run.exitCode).toBe(6);
  const [, command = ""] = /next: `etcdcidr (.*)`/.exec(run.err) ?? [];
  expect((await terminal.run(`${command} --yes`)).exitCode).toBe(0);
  expect((await terminal.run(`${CHANGE} --yes`)).exitCode).toBe(0);
  terminal.expectTranscript("joined-meanwhile");
});

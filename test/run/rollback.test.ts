import { cpSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, loadCluster, stoppedCluster, withFields } from "../harness/cluster.js";
import { type EtcdServer, startEtcd } from "../harness/etcd.js";
import { temporaryFolder } from "../harness/folder.js";
import { blocksOf, bytesOf, commandsOver, type Run, rewrittenKeys } from "./round-trip.js";

let server: EtcdServer;
beforeAll(async () => {
  server = await startEtcd();
});
afterAll(() => server.stop());

const CHANGE = ["change-pod-cidr", "10.212.0.0/16", "--node-cidr-mask-size", "22"];
const OLD = {
  "kube-1": "10.112.0.0/24",
  "kube-2": "10.112.1.0/24",
  "kube-3": "10.112.2.0/24",
  "worker-1": "10.112.4.0/24",
  "worker-2": "10.112.6.0/24",
};

interface Scene {
  readonly cluster: Cluster;
  readonly journals: string;
  readonly run: Run;
}

/** A cluster after the change. */
async function changed(): Promise<Scene & { readonly changeId: string }> {
  const cluster = await loadCluster(server.endpoint, stoppedCluster("v1.36-single"));
  const journals = temporaryFolder();
  const run = commandsOver(cluster, journals);
  const { out } = await run(...CHANGE);
  return { cluster, journals, run, changeId: idIn(out) };
}

function idIn(out: string): string {
  const [, id = ""] = /\(change (\S+)\)/.exec(out) ?? [];
  return id;
}

async function putNode(
  cluster: Cluster,
  name: string,
  uid: string,
  podCidrs: readonly string[],
): Promise<void> {
  const model = (await cluster.nodes()).get("worker-1")?.value ?? new Uint8Array();
  const fields = { "metadata.name": name, "metadata.uid": uid };
  const blocks = { "spec.podCIDR": podCidrs[0] ?? "", "spec.podCIDRs": podCidrs };
  await cluster.put(`minions/${name}`, withFields(model, { ...fields, ...blocks }));
}

describe("what others wrote since", () => {
  test("survives", async () => {
    const { cluster, run } = await changed();
    await cluster.touch("kube-1", {
      "status.nodeInfo.bootID": "after an upgrade",
      "status.nodeInfo.kubeletVersion": "v1.37.0",
      "spec.providerID": "cloud://kube-1",
    });
    const before = (await cluster.nodes()).get("kube-1")?.value ?? new Uint8Array();
    expect((await run("rollback")).exitCode).toBe(0);
    const after = await cluster.nodes();
    expect(blocksOf(after)).toEqual(OLD);
    const back = { "spec.podCIDR": "10.112.0.0/24", "spec.podCIDRs": ["10.112.0.0/24"] };
    expect(after.get("kube-1")?.value).toEqual(Buffer.from(withFields(before, back)));
  });

  test("a Node re-created under its name counts as new: it gets a block of the old range", async () => {
    const { cluster, run } = await changed();
    await putNode(cluster, "kube-2", "another uid", ["10.212.4.0/22"]);
    const { out, exitCode } = await run("rollback");
    expect(exitCode).toBe(0);
    expect(out).toContain("warning[deleted-since]: Nodes have been deleted since: kube-2\n");
    expect(blocksOf(await cluster.nodes())).toEqual(OLD);
  });

  test("a Node that joined without a block keeps none", async () => {
    const { cluster, run } = await changed();
    await putNode(cluster, "worker-3", "uid of worker-3", []);
    const before = await cluster.dump();
    expect((await run("rollback")).exitCode).toBe(0);
    expect(rewrittenKeys(before, await cluster.dump())).not.toContain("minions/worker-3");
  });

  test("all Nodes deleted: there is nothing to do", async () => {
    const { cluster, run } = await changed();
    for (const name of Object.keys(OLD)) await cluster.delete(`minions/${name}`);
    const { err, exitCode } = await run("rollback");
    expect(err).toContain("nothing to do: no Node needs an edit\n");
    expect(exitCode).toBe(0);
  });
});

test("a rollback is undone when it is named, and only then", async () => {
  const { cluster, run, changeId } = await changed();
  const after = bytesOf(await cluster.dump());
  const rollbackId = idIn((await run("rollback")).out);
  expect((await run("rollback")).err).toContain("nothing to roll back: no change in ");
  expect((await run("rollback", rollbackId)).exitCode).toBe(0);
  expect(bytesOf(await cluster.dump())).toEqual(after);
  expect((await run("changes")).out).toMatch(new RegExp(`^${changeId} .* done `, "m"));
  expect((await run("rollback")).exitCode).toBe(0);
  expect(blocksOf(await cluster.nodes())).toEqual(OLD);
});

test("a dry run of a rollback writes nothing, neither to etcd nor to the journals", async () => {
  const { cluster, run } = await changed();
  const before = await cluster.dump();
  expect((await run("rollback", "--dry-run")).exitCode).toBe(0);
  expect(rewrittenKeys(before, await cluster.dump())).toEqual([]);
  expect((await run("changes")).out.trimEnd().split("\n").length).toBe(2);
});

test("the journal's directory, copied to another host, is enough for the way back", async () => {
  const { cluster, journals } = await changed();
  const elsewhere = temporaryFolder();
  cpSync(journals, elsewhere, { recursive: true });
  expect((await commandsOver(cluster, elsewhere)("rollback")).exitCode).toBe(0);
  expect(blocksOf(await cluster.nodes())).toEqual(OLD);
});

test("values that no planner would choose come back too, with a warning", async () => {
  const cluster = await loadCluster(server.endpoint, stoppedCluster("v1.36-single"));
  const run = commandsOver(cluster);
  await cluster.touch("worker-1", { "spec.podCIDR": "10.112.4.7/24", "spec.podCIDRs": ["10.112.4.7/24"] });
  await cluster.touch("worker-2", { "spec.podCIDR": "172.168.0.0/24", "spec.podCIDRs": ["172.168.0.0/24"] });
  const before = bytesOf(await cluster.dump());
  expect((await run(...CHANGE, "--node", "worker-1", "--node", "worker-2")).exitCode).toBe(0);
  expect((await run("rollback")).exitCode).toBe(0);
  expect(bytesOf(await cluster.dump())).toEqual(before);
});

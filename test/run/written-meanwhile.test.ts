import { afterAll, beforeAll, expect, test } from "vitest";
import { openEtcd } from "../../src/adapters/etcd.js";
import { runCli } from "../harness/cli.js";
import { loadCluster, plainCluster } from "../harness/cluster.js";
import { type EtcdServer, startEtcd } from "../harness/etcd.js";
import { temporaryFolder } from "../harness/folder.js";

let server: EtcdServer;
beforeAll(async () => {
  server = await startEtcd();
});
afterAll(() => server.stop());

/** A change that is confirmed by somebody who does something first; the answer, and what was printed. */
async function changeWhile(work: (prefix: string) => Promise<void>, ...flags: string[]) {
  const cluster = await loadCluster(server.endpoint, plainCluster("v1.36-single"));
  const before = await cluster.nodes();
  const { err, exitCode } = await runCli(
    [
      ...["change-pod-cidr", "10.212.0.0/16", "--node-cidr-mask-size", "22", ...flags],
      ...["--endpoints", cluster.endpoint, "--prefix", cluster.prefix, "--journal-dir", temporaryFolder()],
    ],
    {
      interactive: true,
      ask: async () => {
        await work(cluster.prefix);
        return String(before.size);
      },
    },
  );
  const revisions = new Set([...(await cluster.nodes()).values()].map(({ modRevision }) => modRevision));
  return { err, exitCode, revisions: revisions.size, nodes: before.size, prefix: cluster.prefix };
}

/** Puts a key, and returns when a watch like the run's own has been told of one that was put later. */
async function put(prefix: string, path: string): Promise<void> {
  const etcd = openEtcd({ endpoint: server.clientUrl, dialTimeoutMs: 5000, commandTimeoutMs: 5000 });
  await server.put(`${prefix}/${path}`, "1");
  const later = await server.put("/elsewhere/later", "1");
  await new Promise((told) => etcd.watchPut("/elsewhere/", later, told));
  etcd.close();
}

test("nobody writes while the operator reads the plan: all in one transaction", async () => {
  const { exitCode, revisions } = await changeWhile(async () => undefined);
  expect([exitCode, revisions]).toEqual([0, 1]);
});

test("an API server is started meanwhile: no two Nodes share a revision", async () => {
  const { err, exitCode, revisions, nodes, prefix } = await changeWhile((own) =>
    put(own, "leases/kube-node-lease/worker-1"),
  );
  expect([exitCode, revisions]).toEqual([0, nodes]);
  expect(err).toContain(
    `an API server lives, ${prefix}/leases/kube-node-lease/worker-1 was written since the plan was read: going one Node a transaction\n`,
  );
});

test("--one-transaction was asked for all the same", async () => {
  const { exitCode, revisions } = await changeWhile(
    (own) => put(own, "leases/kube-node-lease/worker-1"),
    "--one-transaction",
  );
  expect([exitCode, revisions]).toEqual([0, 1]);
});

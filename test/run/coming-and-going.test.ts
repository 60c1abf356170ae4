import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type Cluster, withFields } from "../harness/cluster.js";
import { type EtcdServer, startEtcd } from "../harness/etcd.js";
import { interfere, sentTxns } from "../harness/interference.js";
import { blocksOf } from "./round-trip.js";
import { CHANGE, errorIn, NEW, sceneOn } from "./scene.js";

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
    const { cluster, run } = await sceneOn(server.endpoint);
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
    const { cluster, run } = await sceneOn(server.endpoint);
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
    const { cluster, run } = await sceneOn(server.endpoint);
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
    const { cluster, run } = await sceneOn(server.endpoint);
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

  test("one that joined in the new range is no concern", async () => {
    const { cluster, run } = await sceneOn(server.endpoint);
    interfere({ before: { 1: () => join(cluster, "worker-3", "10.212.60.0/22") } });
    expect((await run(...CHANGE)).exitCode).toBe(0);
  });

  test("one that joined with a block that the change gives to another", async () => {
    const { cluster, run } = await sceneOn(server.endpoint);
    interfere({ before: { 1: () => join(cluster, "worker-3", "10.212.17.0/24") } });
    const { err, exitCode } = await run(...CHANGE);
    expect(exitCode).toBe(6);
    expect(err).toContain("  why:  worker-3 has 10.212.17.0/24, which overlaps 10.212.16.0/22 of worker-1\n");
  });
});

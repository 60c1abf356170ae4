import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadCluster, stoppedCluster, withFields } from "../harness/cluster.js";
import { type EtcdServer, startEtcd } from "../harness/etcd.js";
import { vectorsFolder } from "../harness/shared.js";
import { blocksOf, roundTrip } from "./round-trip.js";

let server: EtcdServer;
beforeAll(async () => {
  server = await startEtcd();
});
afterAll(() => server.stop());

/** Kubernetes' own Node with every field set, its name and blocks made into ones that a cluster can have. */
function fullNode(release: string): Uint8Array {
  return withFields(readFileSync(join(vectorsFolder, release, "core.v1.Node.pb")), {
    "metadata.name": "full",
    "spec.podCIDR": "10.112.9.0/24",
    "spec.podCIDRs": ["10.112.9.0/24"],
  });
}

test.each(readdirSync(vectorsFolder))(
  "the Node with every field of %s comes back to its bytes",
  async (release) => {
    const keys = stoppedCluster("v1.36-single").filter(({ key }) => !key.startsWith("minions/"));
    const cluster = await loadCluster(server.endpoint, [
      ...keys,
      { key: "minions/full", value: fullNode(release) },
    ]);
    const nodes = await roundTrip(cluster, ["10.212.0.0/16", "--node-cidr-mask-size", "22"]);
    expect(blocksOf(nodes)).toEqual({ full: "10.212.36.0/22" });
  },
);

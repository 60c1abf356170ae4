import { expect } from "vitest";
import { type CliRun, runCli } from "../harness/cli.js";
import type { Cluster, StoredNode } from "../harness/cluster.js";
import type { DumpedValue } from "../harness/etcd.js";
import { temporaryFolder } from "../harness/folder.js";

/** The command line over a cluster, with journals of its own. */
export type Run = (...argv: readonly string[]) => Promise<CliRun>;

export function commandsOver({ endpoint, prefix }: Cluster, directory: string = temporaryFolder()): Run {
  return (...argv) =>
    runCli([...argv, "--endpoints", endpoint, "--prefix", prefix, "--journal-dir", directory, "--yes"]);
}

/**
 * The change, its verification, the way back to the very bytes, and the change again. Returns the cluster's Nodes after the
 * first change.
 */
export async function roundTrip(
  cluster: Cluster,
  change: readonly string[],
): Promise<ReadonlyMap<string, StoredNode>> {
  const run = commandsOver(cluster);
  const before = await cluster.dump();
  await done(run("change-pod-cidr", ...change));
  const after = await cluster.dump();
  const changed = await cluster.nodes();
  await done(run("rollback"));
  const back = await cluster.dump();
  expect(bytesOf(back)).toEqual(bytesOf(before));
  await done(run("change-pod-cidr", ...change));
  const again = await cluster.dump();
  expect(bytesOf(again)).toEqual(bytesOf(after));
  return changed;
}

async function done(run: Promise<CliRun>): Promise<void> {
  const { exitCode, err } = await run;
  expect(err).not.toContain("error[");
  expect(exitCode).toBe(0);
}

/** Keys and values; revisions go on whatever is written. */
export function bytesOf(dump: ReadonlyMap<string, DumpedValue>): ReadonlyMap<string, string> {
  return new Map([...dump].map(([key, { value }]) => [key, Buffer.from(value).toString("base64")]));
}

/** The keys that another revision wrote. */
export function rewrittenKeys(
  before: ReadonlyMap<string, DumpedValue>,
  after: ReadonlyMap<string, DumpedValue>,
): string[] {
  const keys = new Set([...before.keys(), ...after.keys()]);
  return [...keys].filter((key) => before.get(key)?.modRevision !== after.get(key)?.modRevision).sort();
}

/** podCIDR and podCIDRs by Node, and whether they agree as Kubernetes wants it. */
export function blocksOf(nodes: ReadonlyMap<string, StoredNode>): Record<string, string> {
  return Object.fromEntries(
    [...nodes].map(([name, { podCidr, podCidrs }]) => [
      name,
      podCidr === podCidrs[0] ? podCidrs.join(",") : `podCIDR ${podCidr}, podCIDRs ${podCidrs.join(",")}`,
    ]),
  );
}

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ChangeRecord, RECORDS_PREFIX } from "../../src/plan/change-record.js";
import { type Cluster, loadCluster, manyNodes, stoppedCluster } from "../harness/cluster.js";
import { type Life, type Lived, live } from "../harness/crash.js";
import { openClient } from "../harness/etcd.js";
import { temporaryFolder } from "../harness/folder.js";

/** A cluster of small Nodes with a journal directory of its own, and what an undisturbed change makes of it. */
export interface Scene {
  readonly cluster: Cluster;
  readonly directory: string;
  /** Runs a command over it. */
  readonly run: (argv: readonly string[], life?: Life) => Promise<Lived>;
  /** The Nodes' bytes by name. */
  readonly nodes: () => Promise<Readonly<Record<string, string>>>;
}

/** Many keys a Txn while nobody watches; one key a Txn, 16 in flight, while an API server lives. */
export type Kind = "batches" | "in flight";

export const CHANGE: readonly string[] = [
  "change-pod-cidr",
  "10.212.0.0/16",
  "--node-cidr-mask-size",
  "25",
  "--yes",
];

const NEEDED = ["namespaces/kube-system", "minions/worker-1"];

/** So many Nodes, and next to nothing else. */
export async function openScene(endpoint: string, kind: Kind, nodes: number): Promise<Scene> {
  const some = stoppedCluster("v1.36-single").filter(({ key }) => NEEDED.includes(key));
  const watchers = {
    batches: [],
    "in flight": [{ key: "masterleases/192.0.2.10", value: Buffer.from("k8s\0") }],
  };
  const cluster = await loadCluster(endpoint, [...manyNodes(some, nodes), ...watchers[kind]]);
  const directory = temporaryFolder();
  return { cluster, directory, run: runnerOf(cluster, directory), nodes: () => bytesByName(cluster) };
}

/** Commands over a cluster, with the journals of a directory. */
export function runnerOf({ endpoint, prefix }: Cluster, directory: string): Scene["run"] {
  return (argv, life) =>
    live([...argv, "--endpoints", endpoint, "--prefix", prefix, "--journal-dir", directory], life);
}

async function bytesByName(cluster: Cluster): Promise<Record<string, string>> {
  const nodes = await cluster.nodes();
  return Object.fromEntries(
    [...nodes].map(([name, { value }]) => [name, Buffer.from(value).toString("base64")]),
  );
}

/** Ids of the changes that have a directory, oldest first. */
export function changesIn(directory: string): readonly string[] {
  return readdirSync(directory).sort();
}

/** The types of a journal's records. */
export function recordTypes(directory: string, changeId: string): readonly string[] {
  return readFileSync(join(directory, changeId, "journal.jsonl"), "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line).record.type);
}

/** What the tool keeps in etcd: key and parsed value. */
export async function ownKeys(endpoint: string): Promise<Readonly<Record<string, Record<string, unknown>>>> {
  const client = openClient(endpoint);
  const { kvs } = await client.kv.range({
    key: Buffer.from("/etcdcidr/"),
    range_end: Buffer.from("/etcdcidr0"),
  });
  client.close();
  return Object.fromEntries(kvs.map(({ key, value }) => [key.toString(), JSON.parse(value.toString())]));
}

/** The changes that any host has recorded in etcd. */
export async function recordsIn(endpoint: string): Promise<readonly ChangeRecord[]> {
  const keys = Object.entries(await ownKeys(endpoint));
  return keys
    .filter(([key]) => key.startsWith(RECORDS_PREFIX))
    .map(([, value]) => value as unknown as ChangeRecord);
}

/** Removes them, or the one of that name, so that one etcd serves many scenes. */
export async function forgetOwnKeys(endpoint: string, name = ""): Promise<void> {
  const client = openClient(endpoint);
  const all = name === "" ? { range_end: Buffer.from("/etcdcidr0") } : {};
  await client.kv.deleteRange({ key: Buffer.from(`/etcdcidr/${name}`), ...all });
  client.close();
}

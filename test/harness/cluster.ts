import type { Etcd3 } from "etcd3";
import { onTestFinished } from "vitest";
import { schema } from "./descriptor.js";
import { type DumpedValue, dumpEtcd, fillEtcd, openClient } from "./etcd.js";
import { type FixtureKey, readFixture } from "./fixture.js";

/** A recorded cluster under a prefix of its own, so that one etcd serves many tests. */
export interface Cluster {
  readonly endpoint: string;
  /** Without a trailing slash. */
  readonly prefix: string;
  /** All of its keys as they are now, without the prefix and its slash. */
  dump(): Promise<ReadonlyMap<string, DumpedValue>>;
  /** The same of the Nodes, by name. */
  nodes(): Promise<ReadonlyMap<string, StoredNode>>;
  /** Writes other fields into the Node as it is then, by compare-and-swap, as its kubelet does. */
  touch(name: string, fields: Fields): Promise<void>;
  /** Puts a value under a key of the cluster. */
  put(key: string, value: Uint8Array): Promise<void>;
  delete(key: string): Promise<void>;
}

export interface StoredNode extends DumpedValue {
  readonly uid: string;
  readonly podCidr: string | undefined;
  readonly podCidrs: readonly string[];
  /** `status.nodeInfo.bootID`, a field that tests use as a heartbeat. */
  readonly beat: string;
}

/** Values by their path in the kind. */
export type Fields = Readonly<Record<string, string | readonly string[]>>;

export type ClusterKey = Pick<FixtureKey, "key" | "value">;

const RECORDED_PREFIX = "/registry/";

/** A recorded cluster's keys without prefix, less the leases of its API servers: nobody watches. */
export function stoppedCluster(fixture: string): ClusterKey[] {
  return liveCluster(fixture).filter(({ key }) => !key.startsWith("masterleases/"));
}

/** The same with them. */
export function liveCluster(fixture: string): ClusterKey[] {
  return readFixture(fixture).map(({ key, value }) => ({ key: key.slice(RECORDED_PREFIX.length), value }));
}

/** Only what every cluster has: Nodes, a kube-controller-manager, and kubeadm's ConfigMap. No CNI, and nobody watches. */
export function plainCluster(fixture: string): ClusterKey[] {
  const kept =
    /^(namespaces\/|minions\/|pods\/kube-system\/kube-controller-manager-|configmaps\/kube-system\/kubeadm-config$)/;
  return liveCluster(fixture).filter(({ key }) => kept.test(key));
}

let clusters = 0;

/** Puts the keys under a new prefix, and takes away what the tool keeps in that etcd for itself. */
export async function loadCluster(endpoint: string, keys: readonly ClusterKey[]): Promise<Cluster> {
  const prefix = nextPrefix();
  await forget(endpoint);
  await fillEtcd(
    endpoint,
    keys.map(({ key, value }) => ({ key: `${prefix}/${key}`, value })),
  );
  return openCluster(endpoint, prefix);
}

/** The same under Kubernetes' usual prefix; nothing else is left in that etcd. */
export async function loadRegistry(endpoint: string, keys: readonly ClusterKey[]): Promise<Cluster> {
  const client = openClient(endpoint);
  await client.kv.deleteRange({ key: Buffer.from([0]), range_end: Buffer.from([0]) });
  client.close();
  const prefix = "/registry";
  await fillEtcd(
    endpoint,
    keys.map(({ key, value }) => ({ key: `${prefix}/${key}`, value })),
  );
  return openCluster(endpoint, prefix);
}

/** The same, key by key, for an etcd that takes less at once than others. */
export async function loadClusterSlowly(endpoint: string, keys: readonly ClusterKey[]): Promise<Cluster> {
  const cluster = openCluster(endpoint, nextPrefix());
  for (const { key, value } of keys) await cluster.put(key, value);
  return cluster;
}

/** Takes away what the tool keeps in etcd for itself: its lock, which a frozen etcd has not given back, and its records. */
export async function forget(endpoint: string): Promise<void> {
  const client = openClient(endpoint);
  await client.kv.deleteRange({ key: Buffer.from("/etcdcidr/"), range_end: Buffer.from("/etcdcidr0") });
  client.close();
}

function nextPrefix(): string {
  clusters += 1;
  return `/cluster-${clusters}`;
}

function openCluster(endpoint: string, prefix: string): Cluster {
  const client = openClient(endpoint);
  onTestFinished(() => client.close());
  const dump = async (below: string) => {
    const found = await dumpEtcd(endpoint, `${prefix}/${below}`);
    return new Map([...found].map(([key, value]) => [key.slice(prefix.length + 1), value]));
  };
  return {
    endpoint,
    prefix,
    dump: () => dump(""),
    async nodes() {
      const found = await dump("minions/");
      return new Map(
        [...found].map(([key, value]) => [key.slice("minions/".length), readStored(key, value)]),
      );
    },
    touch: (name, fields) => touch(client, `${prefix}/minions/${name}`, fields),
    async put(key, value) {
      await client.kv.put({ key: Buffer.from(`${prefix}/${key}`), value: Buffer.from(value) });
    },
    async delete(key) {
      await client.kv.deleteRange({ key: Buffer.from(`${prefix}/${key}`) });
    },
  };
}

async function touch(client: Etcd3, name: string, fields: Fields): Promise<void> {
  const key = Buffer.from(name);
  for (let isWritten = false; !isWritten; ) {
    const [current] = (await client.kv.range({ key })).kvs;
    if (current === undefined) throw new Error(`there is no ${name}`);
    const { succeeded } = await client.kv.txn({
      compare: [{ target: "Mod", result: "Equal", key, mod_revision: current.mod_revision }],
      success: [{ request_put: { key, value: Buffer.from(withFields(current.value, fields)) } }],
      failure: [],
    });
    isWritten = succeeded;
  }
}

function readStored(key: string, stored: DumpedValue): StoredNode {
  const read = (path: string) => schema.readField(key, stored.value, path);
  const podCidr = read("spec.podCIDR");
  const podCidrs = read("spec.podCIDRs");
  return {
    ...stored,
    uid: String(read("metadata.uid")),
    podCidr: podCidr === undefined ? undefined : String(podCidr),
    podCidrs: Array.isArray(podCidrs) ? podCidrs.map(String) : [],
    beat: String(read("status.nodeInfo.bootID")),
  };
}

/** A stored value with other fields, by their path in the kind. */
export function withFields(value: Uint8Array, fields: Fields): Uint8Array {
  const edits = Object.entries(fields).map(([path, text]) => ({ path, new: text }));
  return schema.edit("a test's own value", value, edits);
}

/** Nodes `node-0`, `node-1` and so on, made from a recorded one, with blocks of /25 in their order in 10.112.0.0/16. */
export function manyNodes(keys: readonly ClusterKey[], count: number): ClusterKey[] {
  const others = keys.filter(({ key }) => !key.startsWith("minions/"));
  const model = keys.find(({ key }) => key === "minions/worker-1");
  if (model === undefined) throw new Error("the recorded cluster has no worker-1");
  const nodes = Array.from({ length: count }, (_empty, index) => {
    const name = `node-${index}`;
    const block = `10.112.${index >> 1}.${(index & 1) * 128}/25`;
    const fields = {
      "metadata.name": name,
      "metadata.uid": `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
      "spec.podCIDR": block,
      "spec.podCIDRs": [block],
    };
    return { key: `minions/${name}`, value: withFields(model.value, fields) };
  });
  return [...others, ...nodes];
}

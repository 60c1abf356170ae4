import { schema } from "./descriptor.js";
import { dumpEtcd, type DumpedValue, fillEtcd, openClient } from "./etcd.js";
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
  /** Puts the Node with other fields over what is there, as its kubelet would. */
  touch(name: string, fields: Readonly<Record<string, string | readonly string[]>>): Promise<void>;
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

let clusters = 0;

/** Puts the keys under a new prefix. */
export async function loadCluster(endpoint: string, keys: readonly ClusterKey[]): Promise<Cluster> {
  clusters += 1;
  const prefix = `/cluster-${clusters}`;
  await fillEtcd(
    endpoint,
    keys.map(({ key, value }) => ({ key: `${prefix}/${key}`, value })),
  );
  return openCluster(endpoint, prefix);
}

function openCluster(endpoint: string, prefix: string): Cluster {
  const dump = async (below: string) => {
    const found = await dumpEtcd(endpoint, `${prefix}/${below}`);
    return new Map([...found].map(([key, value]) => [key.slice(prefix.length + 1), value]));
  };
  const put = (key: string, value: Uint8Array) => fillEtcd(endpoint, [{ key: `${prefix}/${key}`, value }]);
  return {
    endpoint,
    prefix,
    dump: () => dump(""),
    async nodes() {
      const found = await dump("minions/");
      return new Map([...found].map(([key, value]) => [key.slice("minions/".length), readStored(key, value)]));
    },
    async touch(name, fields) {
      const key = `minions/${name}`;
      const current = (await dump(key)).get(key);
      if (current === undefined) throw new Error(`there is no ${key}`);
      await put(key, withFields(current.value, fields));
    },
    put,
    async delete(key) {
      const client = openClient(endpoint);
      await client.kv.deleteRange({ key: Buffer.from(`${prefix}/${key}`) });
      client.close();
    },
  };
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
export function withFields(
  value: Uint8Array,
  fields: Readonly<Record<string, string | readonly string[]>>,
): Uint8Array {
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

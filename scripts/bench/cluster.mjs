// Clusters of any size for the benchmarks: the Node and a Pod of a captured one under other names, padded to a size.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { ROOT } from "../set-up.mjs";
import { openClient } from "./client.mjs";

const CAPTURED = "v1.36-single";
const NODE_BYTES = 8 * 1024;
const POD_BYTES = 4 * 1024;
const PUTS_PER_TXN = 100;
const BYTES_PER_TXN = 1 << 20;

/** Where the blocks lie before a run, and where it moves them: 16,384 of /24 each. */
export const OLD_RANGE = "10.0.0.0/10";
export const NEW_RANGE = "10.128.0.0/10";

/** What a run needs beside Nodes and Pods: the Namespaces, the ServiceCIDR and, if one lives, an API server's lease. */
export function surroundings({ isLive }) {
  const wanted = ["namespaces", "servicecidrs", ...(isLive ? ["masterleases"] : [])];
  return captured().filter(({ key }) => wanted.includes(key.split("/")[2]));
}

/** Nodes of 8 KB with one block each, `node-00000` and up. */
export async function* nodes(count) {
  const schema = await openSchema();
  const { key, value } = captured().find((each) => each.key === "/registry/minions/worker-1");
  const padded = pad(schema, key, value, NODE_BYTES);
  for (let index = 0; index < count; index++) {
    const block = `${blockPrefix(index)}.0/24`;
    yield {
      key: `/registry/minions/${nodeName(index)}`,
      value: schema.edit(key, padded, [
        { path: "metadata.name", new: nodeName(index) },
        { path: "metadata.uid", new: uid(index) },
        { path: "spec.podCIDR", new: block },
        { path: "spec.podCIDRs", new: [block] },
      ]),
    };
  }
}

/** Running Pods of 4 KB with addresses of their Nodes' blocks. */
export async function* pods(nodeCount, podsPerNode) {
  const schema = await openSchema();
  const { key, value } = captured().find((each) => each.key.includes("/kube-controller-manager-"));
  const running = schema.edit(key, value, [
    { path: "metadata.namespace", new: "bench" },
    { path: "spec.hostNetwork", new: false },
    { path: "status.phase", new: "Running" },
  ]);
  const padded = pad(schema, key, running, POD_BYTES);
  for (let index = 0; index < nodeCount * podsPerNode; index++) {
    const node = Math.floor(index / podsPerNode);
    const name = `pod-${String(index).padStart(6, "0")}`;
    yield {
      key: `/registry/pods/bench/${name}`,
      value: schema.edit(key, padded, [
        { path: "metadata.name", new: name },
        { path: "spec.nodeName", new: nodeName(node) },
        { path: "status.podIP", new: `${blockPrefix(node)}.${10 + (index % podsPerNode)}` },
      ]),
    };
  }
}

/** Services with an address each, and the IPAddresses that go with them. */
export async function* services(count) {
  const schema = await openSchema();
  const stored = (path) => captured().find(({ key }) => key === `/registry/${path}`);
  const service = stored("services/specs/default/kubernetes");
  const ipAddress = stored("ipaddresses/10.96.0.1");
  for (let index = 0; index < count; index++) {
    const name = `service-${String(index).padStart(5, "0")}`;
    const address = `10.96.${index >> 8}.${index & 255}`;
    yield {
      key: `/registry/services/specs/default/${name}`,
      value: schema.edit(service.key, service.value, [
        { path: "metadata.name", new: name },
        { path: "spec.clusterIP", new: address },
        { path: "spec.clusterIPs", new: [address] },
      ]),
    };
    yield {
      key: `/registry/ipaddresses/${address}`,
      value: schema.edit(ipAddress.key, ipAddress.value, [
        { path: "metadata.name", new: address },
        { path: "spec.parentRef.name", new: name },
      ]),
    };
  }
}

/** Puts the keys, many to a Txn, and drops the history, so that every run finds the same. */
export async function load(clientUrl, keys) {
  const client = openClient(clientUrl);
  try {
    let revision = "0";
    for await (const puts of batches(keys)) {
      const success = puts.map(({ key, value }) => ({
        request_put: { key: Buffer.from(key), value: Buffer.from(value) },
      }));
      ({ revision } = (await client.kv.txn({ compare: [], success, failure: [] })).header);
    }
    await client.kv.compact({ revision, physical: true });
  } finally {
    client.close();
  }
}

async function* batches(keys) {
  let batch = [];
  let bytes = 0;
  for await (const each of keys) {
    if (batch.length === PUTS_PER_TXN || bytes + each.value.length > BYTES_PER_TXN) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(each);
    bytes += each.value.length;
  }
  if (batch.length > 0) yield batch;
}

let lines;
function captured() {
  const file = join(ROOT, "test", "golden", "fixtures", `${CAPTURED}.jsonl.gz`);
  lines ??= gunzipSync(readFileSync(file)).toString("utf8").trimEnd().split("\n");
  return lines
    .map((line) => JSON.parse(line))
    .map(({ key, value }) => ({ key, value: Buffer.from(value, "base64") }));
}

/** Loaded late, since it has to be built first. */
async function openSchema() {
  const { createSchema } = await import("../../dist/index.js");
  return createSchema(JSON.parse(readFileSync(join(ROOT, "proto", "kubernetes.json"), "utf8")));
}

function pad(schema, key, value, bytes) {
  const path = 'metadata.annotations["example.com/padding"]';
  return schema.edit(key, value, [{ path, new: "x".repeat(bytes - value.length) }]);
}

const nodeName = (index) => `node-${String(index).padStart(5, "0")}`;
const uid = (index) => `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
const blockPrefix = (index) => `10.${index >> 8}.${index & 255}`;

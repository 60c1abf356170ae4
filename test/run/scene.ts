import type { Etcd } from "../../src/ports.js";
import { type Cluster, type ClusterKey, loadCluster, stoppedCluster } from "../harness/cluster.js";
import { interfered } from "../harness/interference.js";
import { commandsOver, type Run } from "./round-trip.js";

export const CHANGE: readonly string[] = ["change-pod-cidr", "10.212.0.0/16", "--node-cidr-mask-size", "22"];

/** Every Node's block in the recorded cluster, and by index after the change. */
export const OLD = {
  "kube-1": "10.112.0.0/24",
  "kube-2": "10.112.1.0/24",
  "kube-3": "10.112.2.0/24",
  "worker-1": "10.112.4.0/24",
  "worker-2": "10.112.6.0/24",
} as const;
export const NEW = {
  "kube-1": "10.212.0.0/22",
  "kube-2": "10.212.4.0/22",
  "kube-3": "10.212.8.0/22",
  "worker-1": "10.212.16.0/22",
  "worker-2": "10.212.24.0/22",
} as const;
export const NAMES: readonly string[] = Object.keys(NEW);

export interface Scene {
  readonly cluster: Cluster;
  readonly run: Run;
}

export async function sceneOn(
  endpoint: string,
  keys: readonly ClusterKey[] = stoppedCluster("v1.36-single"),
): Promise<Scene> {
  const cluster = await loadCluster(endpoint, keys);
  return { cluster, run: commandsOver(cluster) };
}

/** A heartbeat, as the test knows it again. */
export function beat(cluster: Cluster, name: string, text = `late ${name}`): Promise<void> {
  return cluster.touch(name, { "status.nodeInfo.bootID": text });
}

export function setBlock(cluster: Cluster, name: string, block: string): Promise<void> {
  return cluster.touch(name, { "spec.podCIDR": block, "spec.podCIDRs": [block] });
}

export async function beatsOf(cluster: Cluster): Promise<Record<string, string>> {
  return Object.fromEntries([...(await cluster.nodes())].map(([name, node]) => [name, node.beat]));
}

/** The error's four lines, with the prefix that the recorded cluster had, and ID for the change's id. */
export function errorIn(err: string, { prefix }: Cluster): string {
  return err
    .slice(err.indexOf("error["))
    .replaceAll(`${prefix}/`, "/registry/")
    .replaceAll(/\d{8}-\d{6}-[0-9a-f]{6}/g, "ID");
}

interface Endpoints {
  connectEtcd(...args: never[]): Promise<{ readonly etcd: Etcd }>;
}

/** adapters/endpoint.ts, its etcd with what `interfere` says around its calls. */
export function interferedEndpoints<Module extends Endpoints>(actual: Module): Module {
  return {
    ...actual,
    async connectEtcd(...args: never[]) {
      const connected = await actual.connectEtcd(...args);
      return { ...connected, etcd: interfered(connected.etcd) };
    },
  };
}

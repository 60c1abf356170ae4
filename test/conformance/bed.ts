import { afterAll, beforeAll, onTestFinished, vi } from "vitest";
import {
  type Component,
  type ControlPlane,
  startControlPlane,
} from "../../scripts/control-plane/control-plane.mjs";
import { obtainKine } from "../../scripts/control-plane/kine.mjs";
import { obtainKubernetes } from "../../scripts/control-plane/kubernetes.mjs";
import { createNodes, nodesWithBlocks } from "../../scripts/control-plane/nodes.mjs";
import { obtainEtcdServer } from "../../scripts/etcd-release.mjs";
import { startCli } from "../harness/crash-process.js";
import { dumpEtcd, etcdBinary, openClient } from "../harness/etcd.js";
import type { ProcessRun } from "../harness/process.js";

export const NODES = "/api/v1/nodes";
export const SERVICE_CIDR = "10.96.0.0/16";
const MINIONS = "/registry/minions/";
const SETTLED_WITHIN_MS = 30_000;

interface NodeObject {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
}

/** What holds the objects: the etcd of all tests, another minor of it, or kine. */
export type Store = "etcd" | "etcd-3.7" | "kine";

const STORES = {
  etcd: () => ({ etcd: etcdBinary() }),
  "etcd-3.7": () => ({ etcd: obtainEtcdServer({ minor: "3.7", say: () => {} }) }),
  kine: () => ({ kine: obtainKine(() => {}) }),
};

/** A control plane that serves all tests of one file, each of which begins with its Nodes as they were at first. */
export interface Bed {
  readonly plane: ControlPlane;
  /** Lets no Node and nothing of the tool's own remain, and puts the first Nodes' stored bytes back. */
  refill(): Promise<void>;
  /** The same, with Nodes created through the API instead. */
  refillWith(nodes: Parameters<typeof createNodes>[1]): Promise<void>;
}

export interface BedOptions {
  readonly minor: string;
  readonly store: Store;
  /** How many Nodes there are at first, with blocks of kube-controller-manager's in their order. */
  readonly nodes: number;
  readonly clusterCidr: string;
}

/** Starts one before the tests of a file and stops it behind them; it is there only within tests and hooks. */
export function useBed({ minor, store, nodes, clusterCidr }: BedOptions): Bed {
  let bed: Bed | undefined;
  const opened = () => {
    if (bed === undefined) throw new Error("the control plane is there only within tests");
    return bed;
  };
  beforeAll(async () => {
    const plane = await startControlPlane({
      kubernetes: obtainKubernetes({ minor, say: () => {} }),
      store: STORES[store](),
      serviceCidr: SERVICE_CIDR,
    });
    bed = await fill(plane, nodes, clusterCidr);
  });
  afterAll(() => bed?.plane.stop());
  return {
    get plane() {
      return opened().plane;
    },
    refill: () => opened().refill(),
    refillWith: (others) => opened().refillWith(others),
  };
}

async function fill(plane: ControlPlane, count: number, clusterCidr: string): Promise<Bed> {
  const manager = await plane.startControllerManager(clusterCidr);
  await createNodes(
    plane.api,
    Array.from({ length: count }, (_, index) => ({ name: `node-${index}` })),
  );
  // The controller that comes last to a new Node; what it writes later would be a difference that no change has made.
  const hasTtl = ({ metadata }: NodeObject) =>
    metadata.annotations?.["node.alpha.kubernetes.io/ttl"] !== undefined;
  await vi.waitUntil(async () => (await nodesWithBlocks(plane.api, SETTLED_WITHIN_MS)).every(hasTtl), {
    timeout: SETTLED_WITHIN_MS,
  });
  await manager.stop();
  const first = await dumpEtcd(plane.storeUrl, MINIONS);
  const clear = async () => {
    const client = openClient(plane.storeUrl);
    for (const prefix of [MINIONS, "/etcdcidr/"]) await client.delete().prefix(prefix);
    client.close();
  };
  return {
    plane,
    async refill() {
      await clear();
      const client = openClient(plane.storeUrl);
      for (const [key, { value }] of first) await client.put(key).value(Buffer.from(value));
      client.close();
    },
    async refillWith(nodes) {
      await clear();
      await createNodes(plane.api, nodes);
    },
  };
}

/** Starts a kube-controller-manager that is gone when the test has ended; whether it stays up till then is for the test to see. */
export async function startManager(
  { plane }: Bed,
  clusterCidr: string,
  flags: readonly string[] = [],
): Promise<Component> {
  const manager = await plane.startControllerManager(clusterCidr, flags);
  onTestFinished(() => manager.stop("SIGKILL"));
  return manager;
}

/** Runs the command on the bed's store as a process of its own, while this process goes on. */
export async function runOn(
  { plane }: Bed,
  journals: string,
  ...argv: readonly string[]
): Promise<ProcessRun> {
  const { out, err, ended } = startOn({ plane }, journals, ...argv);
  const exitCode = Number(await ended);
  return { stdout: out(), stderr: err(), exitCode };
}

/** The same, for who wants to end it before. */
export function startOn(
  { plane }: Pick<Bed, "plane">,
  journals: string,
  ...argv: readonly string[]
): ReturnType<typeof startCli> {
  return startCli([...argv, "--endpoints", plane.storeUrl, "--journal-dir", journals]);
}

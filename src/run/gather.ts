import { type IpPoolFacts, readIpPool, readUsesPodCidr } from "../objects/calico.js";
import { readCiliumConfig, readCiliumNode } from "../objects/cilium.js";
import { type ComponentFlags, readComponentFlags } from "../objects/component-flags.js";
import { readFlannelConfig } from "../objects/flannel.js";
import { readKubeProxyConfig } from "../objects/kube-proxy.js";
import { type KubeadmConfig, readKubeadmConfig } from "../objects/kubeadm.js";
import { readLease } from "../objects/lease.js";
import { NODE_SELECTION, type NodeFacts, readNode } from "../objects/node.js";
import { POD_SELECTION, type PodTally, readPod, tallyPod } from "../objects/pod-tally.js";
import {
  type RangeAllocationFacts,
  readRangeAllocation,
  readServiceCidr,
  type ServiceRange,
} from "../objects/service-range.js";
import { compareNaturally } from "../plan/natural-order.js";
import type { ReadSet } from "../plan/read-set.js";
import type { Etcd, Spool } from "../ports.js";
import type { Schema } from "../schema/schema.js";
import { sha256Hex } from "../storage/digest.js";
import { findCluster } from "./find-cluster.js";
import { createObjectReader, type ObjectReader } from "./object-reader.js";
import { watchWrites } from "./watch-writes.js";

export interface GatherRequest {
  readonly etcd: Etcd;
  readonly schema: Schema;
  readonly prefix: string;
  /** Takes the Nodes' stored bytes; absent when nothing is going to be written. */
  readonly spool?: Spool;
}

/** Reads every key that a change of Node blocks may concern, at one revision. Throws `wrong-etcd` where Kubernetes is not. */
export async function gather(request: GatherRequest): Promise<ReadSet> {
  const { cluster, revision } = await findCluster(request);
  const writes = watchWrites(request.etcd, cluster, request.prefix, revision);
  try {
    const readSet = await gatherAt(request, cluster, revision);
    const writtenMeanwhile = await writes.seen();
    return { ...readSet, ...(writtenMeanwhile === undefined ? {} : { writtenMeanwhile }) };
  } finally {
    writes.stop();
  }
}

async function gatherAt(
  { etcd, schema, prefix, spool }: GatherRequest,
  cluster: ReadSet["cluster"],
  revision: bigint,
): Promise<ReadSet> {
  const reader = createObjectReader({ etcd, schema, prefix, revision });
  const nodes = await gatherNodes(reader, spool);
  const { pods, components } = await gatherPods(reader);
  const kubeadm = await reader.one("configmaps/kube-system/kubeadm-config", readKubeadmConfig);
  const leases = await Promise.all(
    LEADERS.map((leader) => reader.one(`leases/kube-system/${leader}`, readLease)),
  );
  const flannel =
    (await reader.one("configmaps/kube-flannel/kube-flannel-cfg", readFlannelConfig)) ??
    (await reader.one("configmaps/kube-system/kube-flannel-cfg", readFlannelConfig));
  const kubeProxy = await reader.one("configmaps/kube-system/kube-proxy", readKubeProxyConfig);
  return {
    cluster,
    prefix,
    revision,
    nodes: nodes.sort((left, right) => compareNaturally(left.name, right.name)),
    pods,
    components,
    serviceRanges: [...(await gatherServiceRanges(reader)), ...configuredServiceRanges(components, kubeadm)],
    cilium: await gatherCilium(reader),
    calico: await gatherCalico(reader),
    ownerKeys: await gatherOwners(reader),
    componentLeases: leases
      .filter((lease) => lease !== undefined)
      .map((lease) => ({ ...lease, renewedAtMs: Date.parse(lease.renewTime) })),
    apiServerKeys: await reader.keys("masterleases/"),
    unreadable: reader.unreadable,
    ...(kubeadm?.clusterName === undefined ? {} : { clusterName: kubeadm.clusterName }),
    ...(kubeadm === undefined ? {} : { kubeadm }),
    ...(kubeProxy === undefined ? {} : { kubeProxy }),
    ...(flannel === undefined ? {} : { flannel }),
  };
}

const LEADERS = ["kube-controller-manager", "kube-scheduler", "cloud-controller-manager"];

async function gatherNodes(reader: ObjectReader, spool: Spool | undefined): Promise<NodeFacts[]> {
  const nodes: NodeFacts[] = [];
  await reader.each("minions/", "Node", NODE_SELECTION, async ({ key, value, modRevision }, object) => {
    await spool?.add(key, value);
    nodes.push(readNode({ key, modRevision, sha256: sha256Hex(value), valueBytes: value.length }, object));
  });
  return nodes;
}

async function gatherPods(
  reader: ObjectReader,
): Promise<{ pods: ReadonlyMap<string, PodTally>; components: ComponentFlags[] }> {
  const pods = new Map<string, PodTally>();
  const components: ComponentFlags[] = [];
  const systemPods = reader.path("pods/kube-system/");
  await reader.each("pods/", "Pod", POD_SELECTION, async ({ key, value }, object) => {
    const pod = readPod(object);
    if (pod !== undefined) tallyPod(pods, pod);
    if (!key.startsWith(systemPods)) return;
    const flags = readComponentFlags(key, reader.decode(key, value));
    if (flags !== undefined) components.push(flags);
  });
  return { pods, components };
}

async function gatherServiceRanges(reader: ObjectReader): Promise<readonly ServiceRange[]> {
  const objects = await reader.all("servicecidrs/", readServiceCidr);
  const allocations = await gatherAllocations(reader);
  return [
    ...objects.flatMap(({ key, cidrs }) => cidrs.map((cidr) => ({ cidr, source: key }))),
    ...allocations
      .filter(({ range }) => range !== "")
      .map(({ key, range }) => ({ cidr: range, source: key })),
  ];
}

/** The bitmaps of the service network, where there are any. */
export async function gatherAllocations(reader: ObjectReader): Promise<readonly RangeAllocationFacts[]> {
  const allocations = [
    await reader.one("ranges/serviceips", readRangeAllocation),
    await reader.one("ranges/secondaryserviceips", readRangeAllocation),
  ];
  return allocations.filter((allocation) => allocation !== undefined);
}

function configuredServiceRanges(
  components: readonly ComponentFlags[],
  kubeadm: KubeadmConfig | undefined,
): ServiceRange[] {
  return [
    ...components.map(({ component, node, flags: values }) => ({
      text: values.get("service-cluster-ip-range"),
      source: `--service-cluster-ip-range of ${component} on ${node}`,
    })),
    { text: kubeadm?.serviceSubnet, source: "serviceSubnet in ConfigMap kubeadm-config" },
  ].flatMap(({ text, source }) =>
    (text ?? "")
      .split(",")
      .filter((cidr) => cidr !== "")
      .map((cidr) => ({ cidr: cidr.trim(), source })),
  );
}

// Where the charts and the distributions install it.
const CILIUM_NAMESPACES = ["kube-system", "cilium", "d8-cni-cilium"];

async function gatherCilium(reader: ObjectReader): Promise<ReadSet["cilium"]> {
  const configs = await Promise.all(
    CILIUM_NAMESPACES.map((namespace) =>
      reader.one(`configmaps/${namespace}/cilium-config`, readCiliumConfig),
    ),
  );
  const config = configs.find((each) => each !== undefined);
  return { nodes: await reader.all("cilium.io/ciliumnodes/", readCiliumNode), ...config };
}

/** Calico's own group, and the one of its native v3 resources. */
export const CALICO_GROUPS: readonly string[] = ["crd.projectcalico.org", "projectcalico.org"];

async function gatherCalico(reader: ObjectReader): Promise<ReadSet["calico"]> {
  const pools: IpPoolFacts[] = [];
  const affinityKeys: string[] = [];
  for (const group of CALICO_GROUPS) {
    pools.push(...(await reader.all(`${group}/ippools/`, readIpPool)));
    affinityKeys.push(...(await reader.keys(`${group}/blockaffinities/`)));
  }
  const usesPodCidr = await reader.one("configmaps/kube-system/calico-config", (_key, object) =>
    readUsesPodCidr(object),
  );
  return { pools, affinityKeys, usesPodCidr: usesPodCidr ?? false };
}

const OWNER_PATHS = [
  "operator.openshift.io/networks/cluster",
  "config.openshift.io/networks/cluster",
  "secrets/kube-system/d8-cluster-configuration",
];

async function gatherOwners(reader: ObjectReader): Promise<readonly string[]> {
  const present = await Promise.all(OWNER_PATHS.map((path) => reader.exists(path)));
  return OWNER_PATHS.filter((_path, index) => present[index]).map((path) => reader.path(path));
}

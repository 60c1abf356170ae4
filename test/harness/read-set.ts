import { parseAddress } from "../../src/cidr/parse.js";
import {
  type Component,
  type ComponentFlags,
  readComponentFlags,
} from "../../src/objects/component-flags.js";
import type { KubeProxyConfig } from "../../src/objects/kube-proxy.js";
import type { KubeadmConfig } from "../../src/objects/kubeadm.js";
import { type NodeFacts, readNode } from "../../src/objects/node.js";
import { type PodTally, tallyPod } from "../../src/objects/pod-tally.js";
import { compareNaturally } from "../../src/plan/natural-order.js";
import type { ReadSet } from "../../src/plan/read-set.js";
import { sha256Hex } from "../../src/storage/digest.js";
import { schema } from "./descriptor.js";
import { readFixture } from "./fixture.js";

/** When every command of these tests is given: 1 December 2026, 12:00 UTC. */
export const NOW_MS: number = Date.UTC(2026, 11, 1, 12);

/** What a test says of a Node; podCidr is podCidrs[0] unless it is given. */
export interface NodeSpec {
  /** Null: not on the wire. */
  readonly podCidr?: string | null;
  readonly podCidrs?: readonly string[];
  readonly uid?: string;
  readonly modRevision?: bigint;
  /** InternalIPs. */
  readonly addresses?: readonly string[];
  readonly podCapacity?: number;
  readonly ovnSubnets?: string;
  readonly valueBytes?: number;
}

/** Any other part of a ReadSet. */
export type Rest = Partial<Omit<ReadSet, "nodes" | "pods" | "components">>;

/** A ReadSet in the making, of a cluster that has nothing but what the test says. */
export interface ClusterBuilder {
  /** Nothing: a Node without a block. */
  node(name: string, spec?: string | readonly string[] | NodeSpec): ClusterBuilder;
  /** `count` Nodes `<prefix>0`, `<prefix>1` and so on. */
  nodes(prefix: string, count: number, spec: (index: number) => string | NodeSpec): ClusterBuilder;
  /** kube-controller-manager on a host, with flags without dashes. */
  kcm(flags: Readonly<Record<string, string>>, host?: string): ClusterBuilder;
  component(component: Component, flags: Readonly<Record<string, string>>, host?: string): ClusterBuilder;
  /** A Pod `namespace/name` on a Node. */
  pod(pod: string, node: string, ...addresses: string[]): ClusterBuilder;
  kubeadm(podSubnet: string, args?: Readonly<Record<string, string>>): ClusterBuilder;
  kubeProxy(config: Omit<KubeProxyConfig, "key">): ClusterBuilder;
  with(rest: Rest): ClusterBuilder;
  build(): ReadSet;
}

export const PREFIX = "/registry";
const KUBE_SYSTEM_UID = "b1a7f0d2-0000-4000-8000-000000000001";

export function cluster(): ClusterBuilder {
  const nodes: NodeFacts[] = [];
  const components: ComponentFlags[] = [];
  const pods = new Map<string, PodTally>();
  let rest: Rest = {};
  const builder: ClusterBuilder = {
    node(name, spec = {}) {
      nodes.push(nodeFacts(name, toSpec(spec)));
      return builder;
    },
    nodes(prefix, count, spec) {
      for (let index = 0; index < count; index += 1) builder.node(`${prefix}${index}`, spec(index));
      return builder;
    },
    kcm: (flags, host) => builder.component("kube-controller-manager", flags, host),
    component(component, flags, host = "kube-1") {
      const key = `${PREFIX}/pods/kube-system/${component}-${host}`;
      components.push({ component, node: host, key, flags: new Map(Object.entries(flags)) });
      return builder;
    },
    pod(pod, node, ...addresses) {
      tallyPod(pods, { node, addresses: addresses.map((text) => ({ pod, ...parseAddress(text) })) });
      return builder;
    },
    kubeadm(podSubnet, args = {}) {
      const key = `${PREFIX}/configmaps/kube-system/kubeadm-config`;
      const kubeadm: KubeadmConfig = { key, podSubnet, controllerManagerArgs: new Map(Object.entries(args)) };
      return builder.with({ kubeadm });
    },
    kubeProxy: (config) =>
      builder.with({ kubeProxy: { key: `${PREFIX}/configmaps/kube-system/kube-proxy`, ...config } }),
    with(more) {
      rest = { ...rest, ...more };
      return builder;
    },
    build: () => ({ ...emptyReadSet(), ...rest, nodes: nodes.sort(byName), pods, components }),
  };
  return builder;
}

function emptyReadSet(): Omit<ReadSet, "nodes" | "pods" | "components"> {
  return {
    cluster: { etcdId: 0xdaea43bb4a4c6fb3n, kubeSystemUid: KUBE_SYSTEM_UID },
    prefix: PREFIX,
    revision: 1000n,
    serviceRanges: [],
    cilium: { nodes: [] },
    calico: { pools: [], affinityKeys: [], usesPodCidr: false },
    ownerKeys: [],
    componentLeases: [],
    apiServerKeys: [],
    unreadable: [],
  };
}

function toSpec(spec: string | readonly string[] | NodeSpec): NodeSpec {
  if (typeof spec === "string") return { podCidrs: [spec] };
  return isList(spec) ? { podCidrs: spec } : spec;
}

function isList(spec: readonly string[] | NodeSpec): spec is readonly string[] {
  return Array.isArray(spec);
}

export function nodeFacts(name: string, spec: NodeSpec): NodeFacts {
  const podCidrs = spec.podCidrs ?? [];
  const podCidr = spec.podCidr === undefined ? podCidrs[0] : spec.podCidr;
  return {
    key: `${PREFIX}/minions/${name}`,
    name,
    uid: spec.uid ?? `uid-of-${name}`,
    modRevision: spec.modRevision ?? 100n,
    sha256: `sha256-of-${name}`,
    valueBytes: spec.valueBytes ?? 5000,
    podCidrs,
    addresses: (spec.addresses ?? []).map(parseAddress),
    ...(podCidr === undefined || podCidr === null ? {} : { podCidr }),
    ...(spec.podCapacity === undefined ? {} : { podCapacity: spec.podCapacity }),
    ...(spec.ovnSubnets === undefined ? {} : { ovnSubnets: spec.ovnSubnets }),
  };
}

function byName(left: NodeFacts, right: NodeFacts): number {
  return compareNaturally(left.name, right.name);
}

/** Nodes and control-plane flags of a recorded cluster. */
export function fixtureReadSet(fixture: string): ReadSet {
  const below = (folder: string) =>
    readFixture(fixture)
      .filter(({ key }) => key.startsWith(`${PREFIX}/${folder}`))
      .map(({ key, value, modRevision }) => ({
        source: { key, modRevision, sha256: sha256Hex(value), valueBytes: value.length },
        object: schema.decode(key, value),
      }));
  return {
    ...emptyReadSet(),
    nodes: below("minions/")
      .map(({ source, object }) => readNode(source, object))
      .sort(byName),
    pods: new Map(),
    components: below("pods/kube-system/").flatMap(
      ({ source, object }) => readComponentFlags(source.key, object) ?? [],
    ),
  };
}

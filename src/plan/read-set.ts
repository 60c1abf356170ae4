import type { CalicoFacts } from "../objects/calico.js";
import type { CiliumFacts } from "../objects/cilium.js";
import type { ComponentFlags } from "../objects/component-flags.js";
import type { FlannelConfig } from "../objects/flannel.js";
import type { KubeProxyConfig } from "../objects/kube-proxy.js";
import type { KubeadmConfig } from "../objects/kubeadm.js";
import type { LeaseFacts } from "../objects/lease.js";
import type { NodeFacts } from "../objects/node.js";
import type { PodTally } from "../objects/pod-tally.js";
import type { ServiceRange } from "../objects/service-range.js";
import type { ClusterIdentity } from "./plan.js";

/** A key whose value could not be read, and why. */
export interface Unreadable {
  readonly key: string;
  readonly why: string;
}

export interface ComponentLease extends LeaseFacts {
  /** `renewTime` in milliseconds since the epoch. */
  readonly renewedAtMs: number;
}

/** Everything a planner may look at, read at one revision. */
export interface ReadSet {
  readonly cluster: ClusterIdentity;
  readonly clusterName?: string;
  readonly prefix: string;
  readonly revision: bigint;
  /** In natural name order: node-2 before node-10. */
  readonly nodes: readonly NodeFacts[];
  /** Pods' addresses by node name: counted while streamed, never kept. */
  readonly pods: ReadonlyMap<string, PodTally>;
  /** Flags of kube-controller-manager, kube-apiserver and cloud-controller-manager, from their mirror Pods. */
  readonly components: readonly ComponentFlags[];
  readonly serviceRanges: readonly ServiceRange[];
  readonly kubeadm?: KubeadmConfig;
  readonly kubeProxy?: KubeProxyConfig;
  readonly flannel?: FlannelConfig;
  readonly cilium: CiliumFacts;
  readonly calico: CalicoFacts;
  /** Keys of objects by which an operator owns the network (OpenShift, Deckhouse). */
  readonly ownerKeys: readonly string[];
  /** Leases of the control plane's leaders: kube-controller-manager, kube-scheduler, cloud-controller-manager. */
  readonly componentLeases: readonly ComponentLease[];
  /** Keys under masterleases/: each is an API server that lives or died less than 15 s ago. */
  readonly apiServerKeys: readonly string[];
  /** A key under the prefix that somebody put while this was read. */
  readonly writtenMeanwhile?: string;
  readonly unreadable: readonly Unreadable[];
}

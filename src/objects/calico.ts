import type { StoredObject } from "../schema/schema.js";
import { stringAt } from "./fields.js";

export interface CalicoFacts {
  readonly pools: readonly { readonly key: string; readonly cidr: string }[];
  /** Keys of block affinities: Calico's own IPAM has given blocks to nodes. */
  readonly affinityKeys: readonly string[];
  /** The CNI template says `usePodCidr`: host-local IPAM takes the Node's block. */
  readonly usesPodCidr: boolean;
}

export function readIpPoolCidr({ object }: StoredObject): string {
  return stringAt(object, "spec", "cidr") ?? "";
}

/** Whether ConfigMap kube-system/calico-config lets the CNI plugin take its range from the Node. */
export function readUsesPodCidr({ object }: StoredObject): boolean {
  const template = stringAt(object, "data", "cni_network_config") ?? "";
  return template.includes("usePodCidr");
}

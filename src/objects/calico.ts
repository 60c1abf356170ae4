import type { StoredObject } from "../schema/schema.js";
import { numberAt, stringAt } from "./fields.js";

export interface CalicoFacts {
  readonly pools: readonly IpPoolFacts[];
  /** Keys of block affinities: Calico's own IPAM has given blocks to nodes. */
  readonly affinityKeys: readonly string[];
  /** The CNI template says `usePodCidr`: host-local IPAM takes the Node's block. */
  readonly usesPodCidr: boolean;
}

export interface IpPoolFacts {
  readonly key: string;
  readonly cidr: string;
  /** Length of the blocks that are cut from it; absent: Calico's default for the family. */
  readonly blockSize?: number;
}

export function readIpPool(key: string, { object }: StoredObject): IpPoolFacts {
  const blockSize = numberAt(object, "spec", "blockSize");
  const cidr = stringAt(object, "spec", "cidr") ?? "";
  return { key, cidr, ...(blockSize === undefined ? {} : { blockSize }) };
}

/** A block that Calico's IPAM has cut from a pool (IPAMBlock). */
export interface CalicoBlock {
  readonly key: string;
  readonly cidr: string;
}

export function readCalicoBlock(key: string, { object }: StoredObject): CalicoBlock {
  return { key, cidr: stringAt(object, "spec", "cidr") ?? "" };
}

/** Whether ConfigMap kube-system/calico-config lets the CNI plugin take its range from the Node. */
export function readUsesPodCidr({ object }: StoredObject): boolean {
  const template = stringAt(object, "data", "cni_network_config") ?? "";
  return template.includes("usePodCidr");
}

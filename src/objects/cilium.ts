import type { StoredObject } from "../schema/schema.js";
import { stringAt, stringsAt } from "./fields.js";

export interface CiliumNodeFacts {
  readonly key: string;
  readonly name: string;
  readonly podCidrs: readonly string[];
}

export interface CiliumFacts {
  /** ConfigMap kube-system/cilium-config, where there is one. */
  readonly configKey?: string;
  /** Its `ipam`; cilium's own default is cluster-pool. */
  readonly ipam?: string;
  readonly nodes: readonly CiliumNodeFacts[];
}

export function readCiliumIpam({ object }: StoredObject): string {
  return stringAt(object, "data", "ipam") ?? "cluster-pool";
}

export function readCiliumNode(key: string, { object }: StoredObject): CiliumNodeFacts {
  return {
    key,
    name: stringAt(object, "metadata", "name") ?? "",
    podCidrs: stringsAt(object, "spec", "ipam", "podCIDRs"),
  };
}

import type { StoredObject } from "../schema/schema.js";
import { recordsAt, stringAt, stringsAt } from "./fields.js";

export interface CiliumNodeFacts {
  readonly key: string;
  readonly name: string;
  readonly podCidrs: readonly string[];
  /** Blocks of `ipam: multi-pool`. */
  readonly poolCidrs: readonly string[];
  /** The router's own addresses, of type CiliumInternalIP. */
  readonly internalIps: readonly string[];
}

export interface CiliumFacts extends Partial<CiliumConfig> {
  readonly nodes: readonly CiliumNodeFacts[];
}

/** ConfigMap cilium-config. */
export interface CiliumConfig {
  readonly configKey: string;
  /** cilium's own default is cluster-pool. */
  readonly ipam: string;
  /** Its ranges by name of the entry, as written. */
  readonly ranges: ReadonlyMap<string, string>;
}

const RANGES = [
  "cluster-pool-ipv4-cidr",
  "cluster-pool-ipv6-cidr",
  "ipv4-native-routing-cidr",
  "ipv6-native-routing-cidr",
];

export function readCiliumConfig(key: string, { object }: StoredObject): CiliumConfig {
  const ranges = RANGES.map((name) => [name, stringAt(object, "data", name) ?? ""] as const);
  return {
    configKey: key,
    ipam: stringAt(object, "data", "ipam") ?? "cluster-pool",
    ranges: new Map(ranges.filter(([, text]) => text !== "")),
  };
}

export function readCiliumNode(key: string, { object }: StoredObject): CiliumNodeFacts {
  const allocated = recordsAt(object, "spec", "ipam", "pools", "allocated");
  const internal = recordsAt(object, "spec", "addresses").filter(
    (entry) => stringAt(entry, "type") === "CiliumInternalIP",
  );
  return {
    key,
    name: stringAt(object, "metadata", "name") ?? "",
    podCidrs: stringsAt(object, "spec", "ipam", "podCIDRs"),
    poolCidrs: allocated.flatMap((pool) => stringsAt(pool, "cidrs")),
    internalIps: internal.map((entry) => stringAt(entry, "ip") ?? ""),
  };
}

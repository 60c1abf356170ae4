import type { Address } from "../cidr/cidr.js";
import { parseAddress } from "../cidr/parse.js";
import type { StoredObject } from "../schema/schema.js";
import { numberAt, objectAt, recordsAt, stringAt, stringsAt } from "./fields.js";

/** What the planner needs of a stored Node. */
export interface NodeFacts {
  readonly key: string;
  readonly name: string;
  readonly uid: string;
  readonly modRevision: bigint;
  readonly sha256: string;
  readonly valueBytes: number;
  /** `spec.podCIDR` as stored; absent when the field is not on the wire. */
  readonly podCidr?: string;
  /** `spec.podCIDRs` as stored. */
  readonly podCidrs: readonly string[];
  /** `status.addresses` that are IP addresses. */
  readonly addresses: readonly Address[];
  /** `status.allocatable.pods`, else `status.capacity.pods`. */
  readonly podCapacity?: number;
  /** OVN-Kubernetes keeps the Node's real subnets in an annotation. */
  readonly ovnSubnets?: string;
  /** Addresses of Cilium's router, which its agent keeps in annotations. */
  readonly ciliumHosts?: readonly string[];
}

/** Fields of a Node to decode for `readNode`. */
export const NODE_SELECTION: readonly string[] = [
  "metadata.name",
  "metadata.uid",
  "metadata.annotations",
  "spec.podCIDR",
  "spec.podCIDRs",
  "status.addresses",
  "status.allocatable",
  "status.capacity",
];

/** Since Cilium 1.12, and before. */
const CILIUM_HOSTS = ["network.cilium.io", "io.cilium.network"].flatMap((domain) => [
  `${domain}/ipv4-cilium-host`,
  `${domain}/ipv6-cilium-host`,
]);

export type NodeSource = Pick<NodeFacts, "key" | "modRevision" | "sha256" | "valueBytes">;

export function readNode(source: NodeSource, { object }: StoredObject): NodeFacts {
  const podCidr = stringAt(object, "spec", "podCIDR");
  const podCapacity =
    numberAt(object, "status", "allocatable", "pods") ?? numberAt(object, "status", "capacity", "pods");
  const annotations = objectAt(object, "metadata", "annotations");
  const ciliumHosts = CILIUM_HOSTS.flatMap((name) => stringAt(annotations, name) ?? []);
  const ovnSubnets = stringAt(annotations, "k8s.ovn.org/node-subnets");
  return {
    key: source.key,
    modRevision: source.modRevision,
    sha256: source.sha256,
    valueBytes: source.valueBytes,
    name: stringAt(object, "metadata", "name") ?? "",
    uid: stringAt(object, "metadata", "uid") ?? "",
    podCidrs: stringsAt(object, "spec", "podCIDRs"),
    addresses: readAddresses(objectAt(object, "status")),
    ...(podCidr === undefined ? {} : { podCidr }),
    ...(podCapacity === undefined ? {} : { podCapacity }),
    ...(ovnSubnets === undefined ? {} : { ovnSubnets }),
    ...(ciliumHosts.length === 0 ? {} : { ciliumHosts }),
  };
}

function readAddresses(status: StoredObject["object"]): Address[] {
  return recordsAt(status, "addresses").flatMap((entry) => {
    const type = stringAt(entry, "type");
    const address = stringAt(entry, "address");
    if (address === undefined || (type !== "InternalIP" && type !== "ExternalIP")) return [];
    try {
      return [parseAddress(address)];
    } catch {
      // A host name or an odd address in a status is no concern of a change of blocks.
      return [];
    }
  });
}

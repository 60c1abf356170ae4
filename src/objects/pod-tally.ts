import type { Family } from "../cidr/cidr.js";
import { readStoredCidr } from "../cidr/parse.js";
import type { StoredObject } from "../schema/schema.js";
import { recordsAt, stringAt, valueAt } from "./fields.js";

/** A Pod's own address. */
export interface PodAddress {
  /** `namespace/name` */
  readonly pod: string;
  readonly family: Family;
  readonly value: bigint;
}

/** The Pods of one node, counted: how many have an address of their own, and the outermost of each family. */
export interface PodTally {
  readonly count: number;
  readonly lowest: ReadonlyMap<Family, PodAddress>;
  readonly highest: ReadonlyMap<Family, PodAddress>;
}

/** Fields of a Pod to decode for `readPod`. */
export const POD_SELECTION: readonly string[] = [
  "metadata.name",
  "metadata.namespace",
  "spec.nodeName",
  "spec.hostNetwork",
  "status.phase",
  "status.podIP",
  "status.podIPs",
];

/** A Pod that holds addresses of the pod network: scheduled, not on the host's network, not finished. */
export interface PodFacts {
  readonly node: string;
  readonly addresses: readonly PodAddress[];
}

export function readPod({ object }: StoredObject): PodFacts | undefined {
  const node = stringAt(object, "spec", "nodeName");
  const phase = stringAt(object, "status", "phase");
  if (!node || valueAt(object, "spec", "hostNetwork") === true) return undefined;
  if (phase === "Succeeded" || phase === "Failed") return undefined;
  const texts = new Set(recordsAt(object, "status", "podIPs").map((entry) => stringAt(entry, "ip") ?? ""));
  texts.add(stringAt(object, "status", "podIP") ?? "");
  const pod = podName(object);
  const addresses = [...texts].flatMap((text) => podAddress(pod, text));
  return addresses.length === 0 ? undefined : { node, addresses };
}

/** `namespace/name` of a Pod on its host's network, whose addresses are the host's; undefined for any other. */
export function readHostPod({ object }: StoredObject): string | undefined {
  return valueAt(object, "spec", "hostNetwork") === true ? podName(object) : undefined;
}

function podName(object: StoredObject["object"]): string {
  return `${stringAt(object, "metadata", "namespace") ?? ""}/${stringAt(object, "metadata", "name") ?? ""}`;
}

/** None for a text that is no address. */
export function podAddress(pod: string, text: string): PodAddress[] {
  const single = readStoredCidr(text.includes(":") ? `${text}/128` : `${text}/32`);
  return single === undefined ? [] : [{ pod, family: single.cidr.family, value: single.cidr.base }];
}

/** Adds a Pod to its node's tally. */
export function tallyPod(tallies: Map<string, PodTally>, pod: PodFacts): void {
  const before = tallies.get(pod.node);
  const lowest = new Map(before?.lowest);
  const highest = new Map(before?.highest);
  for (const address of pod.addresses) {
    if (address.value < (lowest.get(address.family)?.value ?? address.value + 1n))
      lowest.set(address.family, address);
    if (address.value > (highest.get(address.family)?.value ?? -1n)) highest.set(address.family, address);
  }
  tallies.set(pod.node, { count: (before?.count ?? 0) + 1, lowest, highest });
}

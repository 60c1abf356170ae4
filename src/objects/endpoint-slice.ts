import type { StoredObject } from "../schema/schema.js";
import { recordsAt, stringAt, stringsAt } from "./fields.js";
import { type PodAddress, podAddress } from "./pod-tally.js";

/** An endpoint whose target is a Pod, as its EndpointSlice names it. */
export interface PodEndpoint {
  /** `namespace/name` of the EndpointSlice. */
  readonly slice: string;
  readonly node: string;
  /** With the target's name, `namespace/name`. */
  readonly addresses: readonly PodAddress[];
}

/** Fields of an EndpointSlice to decode for `readPodEndpoints`. */
export const ENDPOINT_SLICE_SELECTION: readonly string[] = [
  "metadata.name",
  "metadata.namespace",
  "endpoints",
];

/** Endpoints without a target, or with another one than a Pod, are not the pod network's. */
export function readPodEndpoints({ object }: StoredObject): readonly PodEndpoint[] {
  const namespace = stringAt(object, "metadata", "namespace") ?? "";
  const slice = `${namespace}/${stringAt(object, "metadata", "name") ?? ""}`;
  return recordsAt(object, "endpoints").flatMap((endpoint) => {
    if (stringAt(endpoint, "targetRef", "kind") !== "Pod") return [];
    const pod = `${stringAt(endpoint, "targetRef", "namespace") ?? namespace}/${stringAt(endpoint, "targetRef", "name") ?? ""}`;
    const addresses = stringsAt(endpoint, "addresses").flatMap((text) => podAddress(pod, text));
    return [{ slice, node: stringAt(endpoint, "nodeName") ?? "", addresses }];
  });
}

import type { StoredObject } from "../schema/schema.js";
import { stringAt, stringsAt } from "./fields.js";

/** A Service that has addresses of the service network. */
export interface ServiceFacts {
  /** `namespace/name` */
  readonly name: string;
  /** `spec.clusterIP` as stored; empty when the field is not on the wire. */
  readonly clusterIp: string;
  /** `spec.clusterIPs` as stored. */
  readonly clusterIps: readonly string[];
}

/** Fields of a Service to decode for `readService`. */
export const SERVICE_SELECTION: readonly string[] = [
  "metadata.name",
  "metadata.namespace",
  "spec.clusterIP",
  "spec.clusterIPs",
];

/** Undefined for a headless Service (`None`) and one without an address (`ExternalName`). */
export function readService({ object }: StoredObject): ServiceFacts | undefined {
  const clusterIp = stringAt(object, "spec", "clusterIP") ?? "";
  const clusterIps = stringsAt(object, "spec", "clusterIPs");
  if ([clusterIp, ...clusterIps].every((text) => text === "" || text === "None")) return undefined;
  const name = `${stringAt(object, "metadata", "namespace") ?? ""}/${stringAt(object, "metadata", "name") ?? ""}`;
  return { name, clusterIp, clusterIps };
}

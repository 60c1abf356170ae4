import type { StoredObject } from "../schema/schema.js";
import { stringAt } from "./fields.js";

/** An IPAddress (Kubernetes 1.27 and later): an allocated address of the service network, named after it. */
export interface IpAddressFacts {
  readonly address: string;
  /** `namespace/name` of the Service it belongs to; absent where it refers to none. */
  readonly service?: string;
}

export function readIpAddress({ object }: StoredObject): IpAddressFacts {
  const address = stringAt(object, "metadata", "name") ?? "";
  const parent = ["spec", "parentRef"];
  if (stringAt(object, ...parent, "resource") !== "services") return { address };
  const namespace = stringAt(object, ...parent, "namespace") ?? "";
  return { address, service: `${namespace}/${stringAt(object, ...parent, "name") ?? ""}` };
}

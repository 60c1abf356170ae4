import type { StoredObject } from "../schema/schema.js";
import { stringAt, stringsAt } from "./fields.js";

/** A range of Service addresses, and where it stands. */
export interface ServiceRange {
  readonly cidr: string;
  /** A key, or a component's flag: for the operator to read. */
  readonly source: string;
}

/** A ServiceCIDR (Kubernetes 1.29 and later). */
export interface ServiceCidrFacts {
  readonly key: string;
  /** `kubernetes` is the one that kube-apiserver keeps. */
  readonly name: string;
  readonly cidrs: readonly string[];
}

export function readServiceCidr(key: string, { object }: StoredObject): ServiceCidrFacts {
  const name = stringAt(object, "metadata", "name") ?? "";
  return { key, name, cidrs: stringsAt(object, "spec", "cidrs") };
}

/** A RangeAllocation (`serviceips`, `secondaryserviceips`): the allocator of the service network before 1.33. */
export interface RangeAllocationFacts {
  readonly key: string;
  readonly range: string;
  /** One bit an address of the range but its first, big-endian: the lowest offset is the lowest bit of the last byte. */
  readonly bits: Uint8Array;
}

export function readRangeAllocation(key: string, { object }: StoredObject): RangeAllocationFacts {
  const bits = Buffer.from(stringAt(object, "data") ?? "", "base64");
  return { key, range: stringAt(object, "range") ?? "", bits };
}

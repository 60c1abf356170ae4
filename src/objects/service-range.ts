import type { StoredObject } from "../schema/schema.js";
import { stringAt, stringsAt } from "./fields.js";

/** A range of Service addresses, and where it stands. */
export interface ServiceRange {
  readonly cidr: string;
  /** A key, or a component's flag: for the operator to read. */
  readonly source: string;
}

/** ServiceCIDR objects (Kubernetes 1.29 and later). */
export function readServiceCidr(key: string, { object }: StoredObject): ServiceRange[] {
  return stringsAt(object, "spec", "cidrs").map((cidr) => ({ cidr, source: key }));
}

/** The bitmap's `range` (RangeAllocation serviceips, secondaryserviceips). */
export function readRangeAllocation(key: string, { object }: StoredObject): ServiceRange[] {
  const cidr = stringAt(object, "range");
  return cidr === undefined || cidr === "" ? [] : [{ cidr, source: key }];
}

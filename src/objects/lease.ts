import type { StoredObject } from "../schema/schema.js";
import { numberAt, stringAt } from "./fields.js";

export interface LeaseFacts {
  readonly key: string;
  readonly holder: string;
  /** RFC 3339 text as the API shows it. */
  readonly renewTime: string;
  readonly durationSeconds: number;
}

export function readLease(key: string, { object }: StoredObject): LeaseFacts {
  return {
    key,
    holder: stringAt(object, "spec", "holderIdentity") ?? "",
    renewTime: stringAt(object, "spec", "renewTime") ?? "",
    durationSeconds: numberAt(object, "spec", "leaseDurationSeconds") ?? 15,
  };
}

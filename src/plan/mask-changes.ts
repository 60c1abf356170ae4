import type { Family } from "../cidr/cidr.js";
import type { FamilyOutline } from "./plan.js";
import { DEFAULT_BLOCK_LENGTH, GENERAL_MASK_FLAG, maskFlags } from "./pod-cidr/block-length.js";

/** What has to become of kube-controller-manager's mask flags. */
export interface MaskChanges {
  readonly set: ReadonlyMap<string, string>;
  /** Flags that it would refuse to start with. */
  readonly remove: readonly string[];
}

/**
 * `ranges` are the families of the new `--cluster-cidr`, `flags` what is set now. Two ranges exclude the general flag, one
 * range the other family's (cmd/kube-controller-manager/app/core.go).
 */
export function maskChanges(
  families: readonly FamilyOutline[],
  ranges: readonly Family[],
  flags: ReadonlyMap<string, string>,
): MaskChanges {
  const set = new Map<string, string>();
  for (const family of ranges) {
    const mask = families.find((outline) => outline.family === family)?.nodeMask.toString();
    const value = mask ?? maskFlags(family).flatMap((name) => flags.get(name) ?? [])[0];
    const name = flagFor(family, ranges, flags);
    const now = flags.get(name) ?? `${DEFAULT_BLOCK_LENGTH[family]}`;
    if (value !== undefined && value !== now) set.set(name, value);
  }
  const allowed = new Set(ranges.flatMap((family) => maskFlags(family)));
  if (ranges.length > 1) allowed.delete(GENERAL_MASK_FLAG);
  const known = new Set([...maskFlags(4), ...maskFlags(6)]);
  return { set, remove: [...flags.keys()].filter((name) => known.has(name) && !allowed.has(name)) };
}

function flagFor(family: Family, ranges: readonly Family[], flags: ReadonlyMap<string, string>): string {
  const [own = ""] = maskFlags(family);
  if (ranges.length > 1 || flags.has(own)) return own;
  return family === 4 || flags.has(GENERAL_MASK_FLAG) ? GENERAL_MASK_FLAG : own;
}

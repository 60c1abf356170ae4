import { contains } from "../cidr/cidr.js";
import { readStoredCidr } from "../cidr/parse.js";
import type { FieldValue } from "../schema/field-edit.js";
import { type ChangeRecord, stands } from "./change-record.js";
import type { JournaledChange } from "./journaled-change.js";
import { changesElsewhere } from "./newer-records.js";
import { sameFieldValue } from "./same-field-value.js";

/** Which change of ours gave a Node the fields that it has now, in words; undefined: none that is known here. */
export type NameWriter = (key: string, read: (path: string) => FieldValue | undefined) => string | undefined;

/**
 * From the journals, which tell every value, and from the records of other hosts, which tell only the range: a block in the
 * range of a standing change is as good as certain to be that change's.
 */
export function createNameWriter(
  history: readonly JournaledChange[],
  records: readonly ChangeRecord[],
): NameWriter {
  const elsewhere = changesElsewhere(history, records).filter(stands);
  return (key, read) => {
    const here = history.findLast((change) => wrote(change, key, read))?.begin;
    if (here !== undefined) return `change ${here.changeId} of ${here.user}@${here.host}`;
    const podCidr = read("spec.podCIDR");
    const there = elsewhere.findLast(({ targets = [] }) => targets.some((range) => isWithin(podCidr, range)));
    return there === undefined ? undefined : `change ${there.id} of ${there.user}@${there.host}`;
  };
}

function wrote({ keys }: JournaledChange, key: string, read: Parameters<NameWriter>[1]): boolean {
  const journaled = keys.get(key);
  if (journaled?.sent === undefined) return false;
  return journaled.edits.every((edit) => sameFieldValue(read(edit.path), edit.new));
}

function isWithin(podCidr: FieldValue | undefined, range: string): boolean {
  const block = typeof podCidr === "string" ? readStoredCidr(podCidr)?.cidr : undefined;
  const outer = readStoredCidr(range)?.cidr;
  return block !== undefined && outer !== undefined && contains(outer, block);
}

import { EtcdcidrError } from "../errors.js";
import { stringAt } from "../objects/fields.js";
import type { NameWriter } from "../plan/own-writer.js";
import { sameFieldValue } from "../plan/same-field-value.js";
import type { Journal } from "../ports.js";
import type { FieldEdit } from "../schema/field-edit.js";
import type { Schema } from "../schema/schema.js";
import type { KeyValue } from "../storage/key-value.js";
import type { PendingKey } from "./prepare.js";
import type { BatchReport } from "./send-batch.js";

/** What is to be done with the keys of a batch whose Txn was lost. */
export interface LostCompare {
  /** To be sent again, spliced into what is there now. */
  readonly pending: readonly PendingKey[];
  readonly dropped: readonly { readonly key: string; readonly reason: "deleted" | "re-created" }[];
  /** Keys that hold what we meant, whoever wrote it. */
  readonly alreadyDone: readonly { readonly key: string; readonly modRevision: bigint }[];
}

/**
 * A heartbeat is no conflict: the edits go into its bytes. Throws `refused` when the edited fields themselves are no
 * longer what the plan was made from.
 */
export function afterLostCompare(
  { schema, nameWriter }: { readonly schema: Schema; readonly nameWriter?: NameWriter },
  batch: readonly PendingKey[],
  current: ReadonlyMap<string, KeyValue>,
): LostCompare {
  const pending: PendingKey[] = [];
  const dropped: { key: string; reason: "deleted" | "re-created" }[] = [];
  const alreadyDone: { key: string; modRevision: bigint }[] = [];
  for (const prepared of batch) {
    const { change, uid } = prepared.update;
    const now = current.get(change.key);
    if (now === undefined) dropped.push({ key: change.key, reason: "deleted" });
    else if (now.modRevision === prepared.modRevision) pending.push(prepared);
    // Bytes that are put back whole go over the ones that could not be read, and over no others.
    else if (change.edits.length === 0) throw fieldsChanged(now, undefined);
    else if (uidOf(schema, now) !== uid) dropped.push({ key: change.key, reason: "re-created" });
    else if (holds(schema, now, change.edits, "old")) pending.push(onNewerBytes(prepared, now));
    else if (holds(schema, now, change.edits, "new")) alreadyDone.push(now);
    else
      throw fieldsChanged(
        now,
        nameWriter?.(now.key, (path) => schema.readField(now.key, now.value, path)),
      );
  }
  return { pending, dropped, alreadyDone };
}

/** Puts into journal and report what needs no further Txn. */
export function recordAnswer(
  { dropped, alreadyDone }: LostCompare,
  journal: Journal,
  report: BatchReport,
): void {
  for (const { key, reason } of dropped) {
    journal.append({ type: "dropped", key, reason });
    report.dropped(key, reason);
  }
  for (const { key, modRevision } of alreadyDone) {
    journal.append({ type: "committed", revision: modRevision, keys: [key] });
    report.committed(key, modRevision);
  }
  if (dropped.length + alreadyDone.length > 0) report.settled();
}

function onNewerBytes({ update, lostCompares }: PendingKey, { value, modRevision }: KeyValue): PendingKey {
  return { update, value, modRevision, lostCompares: lostCompares + 1 };
}

const UID: readonly string[] = ["metadata.uid"];

function uidOf(schema: Schema, { key, value }: KeyValue): string {
  return stringAt(schema.decode(key, value, UID).object, "metadata", "uid") ?? "";
}

function holds(
  schema: Schema,
  { key, value }: KeyValue,
  edits: readonly FieldEdit[],
  side: "old" | "new",
): boolean {
  return edits.every((edit) => sameFieldValue(schema.readField(key, value, edit.path), edit[side]));
}

function fieldsChanged({ key, modRevision }: KeyValue, ours: string | undefined): EtcdcidrError {
  if (ours !== undefined) {
    return new EtcdcidrError("refused", {
      what: `the blocks in ${key} were changed by ${ours}`,
      why: `at revision ${modRevision} they are what that change writes, and no longer what this plan was made from`,
      now: "this Node is as that change left it",
      next: "see in `etcdcidr changes` what it is",
    });
  }
  return new EtcdcidrError("refused", {
    what: `the blocks in ${key} were changed by somebody else`,
    why: `at revision ${modRevision} they are neither what the plan was made from nor what it writes`,
    now: "this Node is as the other left it",
    next: "find what else changes blocks and stop it",
  });
}

import { EtcdcidrError } from "../errors.js";
import type { SentKey } from "../plan/journal-record.js";
import { sameFieldValue } from "../plan/same-field-value.js";
import type { Etcd, TxnOutcome } from "../ports.js";
import type { FieldEdit } from "../schema/field-edit.js";
import type { Schema } from "../schema/schema.js";
import { sha256Hex } from "../storage/digest.js";
import type { KeyValue } from "../storage/key-value.js";
import type { PreparedKey } from "./prepare.js";

export interface SettleRequest {
  readonly etcd: Etcd;
  readonly schema: Schema;
}

/**
 * Finds out what became of a Txn without an answer, by reading its keys. A Txn is all or nothing, so one key that holds
 * what was sent settles it. Throws `in-doubt` when the keys cannot be read either.
 */
export async function settle(
  { etcd, schema }: SettleRequest,
  batch: readonly PreparedKey[],
  txn: number,
  cause: EtcdcidrError,
): Promise<TxnOutcome> {
  const current = await readKeys(etcd, batch, txn, cause);
  for (const key of batch) {
    const keyValue = current.get(key.update.change.key);
    const sent = { key: key.update.change.key, modRevision: key.modRevision, sha256: key.sha256 };
    if (keyValue !== undefined && holdsWhatWasSent(schema, key.update.change.edits, sent, keyValue)) {
      return { kind: "committed", revision: keyValue.modRevision };
    }
  }
  return { kind: "lost", revision: 0n, current };
}

/** Our very bytes, or our fields in bytes that somebody else has written since. */
export function holdsWhatWasSent(
  schema: Schema,
  edits: readonly FieldEdit[],
  { key, modRevision, sha256 }: SentKey,
  keyValue: KeyValue,
): boolean {
  if (keyValue.modRevision === modRevision) return false;
  if (sha256Hex(keyValue.value) === sha256) return true;
  // Without an edit, bytes are put back whole: only the very bytes tell.
  return (
    edits.length > 0 &&
    edits.every((edit) => sameFieldValue(schema.readField(key, keyValue.value, edit.path), edit.new))
  );
}

async function readKeys(
  etcd: Etcd,
  batch: readonly PreparedKey[],
  txn: number,
  cause: EtcdcidrError,
): Promise<ReadonlyMap<string, KeyValue>> {
  try {
    const pages = await Promise.all(batch.map(({ update }) => etcd.range({ key: update.change.key })));
    return new Map(pages.flatMap(({ keyValues }) => keyValues.map((keyValue) => [keyValue.key, keyValue])));
  } catch (error) {
    throw new EtcdcidrError(
      "in-doubt",
      {
        ...cause.explanation,
        what: `no answer from ${etcd.endpoint} for Txn ${txn} of ${batch.length} keys`,
        next: "when etcd answers again, run `etcdcidr changes`; the journal says what was sent",
      },
      { cause: error },
    );
  }
}

import type { Journal } from "../ports.js";
import type { Schema } from "../schema/schema.js";
import type { SecondReader } from "../schema/second-reader.js";
import { sha256Hex } from "../storage/digest.js";
import type { PlannedUpdate } from "./apply.js";

/** A key about to be written: what the edits are spliced into, and how often its compare was lost. */
export interface PendingKey {
  readonly update: PlannedUpdate;
  readonly modRevision: bigint;
  readonly value: Uint8Array;
  readonly lostCompares: number;
}

/** A key with its new bytes. */
export interface PreparedKey extends PendingKey {
  readonly after: Uint8Array;
  readonly sha256: string;
}

export interface PrepareRequest {
  readonly schema: Schema;
  readonly secondReader: SecondReader;
}

/** Splices the edits, and lets the second reader prove that nothing else changed. */
export function prepareKeys(
  { schema, secondReader }: PrepareRequest,
  pending: readonly PendingKey[],
): readonly PreparedKey[] {
  return pending.map((key) => {
    const { change } = key.update;
    const after = schema.edit(change.key, key.value, change.edits);
    secondReader.check(change.key, key.value, after, change.edits);
    return { ...key, after, sha256: sha256Hex(after) };
  });
}

export interface NumberedBatch {
  readonly keys: readonly PreparedKey[];
  readonly txn: number;
}

/** Puts on disk what is about to be sent: after a crash the journal names every key that may have been written. */
export async function announce(journal: Journal, batches: readonly NumberedBatch[]): Promise<void> {
  for (const { keys, txn } of batches) {
    journal.append({
      type: "intent",
      txn,
      keys: keys.map(({ update, modRevision, sha256 }) => ({ key: update.change.key, modRevision, sha256 })),
    });
  }
  await journal.sync();
}

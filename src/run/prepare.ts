import type { Journal } from "../ports.js";
import type { Schema } from "../schema/schema.js";
import type { SecondReader } from "../schema/second-reader.js";
import { sha256Hex } from "../storage/digest.js";
import type { PlannedUpdate } from "./apply.js";
import { nextTurn } from "./next-turn.js";

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

// A fraction of a millisecond for Nodes of the usual size.
const KEYS_A_TURN = 2;

/** Makes the keys' new bytes while other Txns are on their way. */
export async function prepareKeys(
  request: PrepareRequest,
  pending: readonly PendingKey[],
): Promise<readonly PreparedKey[]> {
  const prepared: PreparedKey[] = [];
  for (const key of pending) {
    if (prepared.length % KEYS_A_TURN === 0) await nextTurn();
    prepared.push(prepareKey(request, key));
  }
  return prepared;
}

/** Splices the edits, and lets the second reader prove that nothing else changed. */
function prepareKey({ schema, secondReader }: PrepareRequest, key: PendingKey): PreparedKey {
  const { change } = key.update;
  const after = schema.edit(change.key, key.value, change.edits);
  secondReader.check(change.key, key.value, after, change.edits);
  return { ...key, after, sha256: sha256Hex(after) };
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

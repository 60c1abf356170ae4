import type { WriteMode } from "../plan/plan.js";
import { MAX_OPERATIONS_OF_A_BATCH, MAX_TXN_BYTES } from "../plan/write-mode.js";
import type { PreparedKey } from "./prepare.js";

/** Joins keys into Txns as the plan's mode says; a key that is larger than a batch may be goes alone. */
export function cutBatches(
  keys: readonly PreparedKey[],
  mode: WriteMode["kind"],
): readonly (readonly PreparedKey[])[] {
  if (mode === "one-node-a-transaction" || mode === "key-by-key") return keys.map((key) => [key]);
  if (mode === "one-transaction") return keys.length === 0 ? [] : [keys];
  const batches: PreparedKey[][] = [];
  let bytes = 0;
  for (const key of keys) {
    const size = writtenBytes(key);
    const batch = batches.at(-1);
    if (batch === undefined || batch.length === MAX_OPERATIONS_OF_A_BATCH || bytes + size > MAX_TXN_BYTES) {
      batches.push([key]);
      bytes = size;
    } else {
      batch.push(key);
      bytes += size;
    }
  }
  return batches;
}

/** The value, and the key in compare, put and else-get. */
function writtenBytes({ after, update }: PreparedKey): number {
  return after.length + 3 * update.change.key.length;
}

import { doubtfulKeys, type JournaledChange, type JournaledKey, withKeys } from "../plan/journaled-change.js";
import type { Etcd } from "../ports.js";
import type { Schema } from "../schema/schema.js";
import { holdsWhatWasSent } from "./settle.js";

export interface SettleChangeRequest {
  readonly etcd: Etcd;
  readonly schema: Schema;
}

// Single-key reads at a time.
const READS_AT_ONCE = 64;

/** A change whose doubtful keys are settled by reading them: those that hold what was sent count as written. */
export async function settleChange(
  { etcd, schema }: SettleChangeRequest,
  change: JournaledChange,
): Promise<JournaledChange> {
  const doubtful = doubtfulKeys(change);
  const settled = new Map<string, JournaledKey>();
  for (let start = 0; start < doubtful.length; start += READS_AT_ONCE) {
    const chunk = doubtful.slice(start, start + READS_AT_ONCE);
    const pages = await Promise.all(chunk.map(({ key }) => etcd.range({ key })));
    for (const [index, key] of chunk.entries()) {
      const keyValue = pages[index]?.keyValues[0];
      const written =
        keyValue !== undefined &&
        key.sent !== undefined &&
        holdsWhatWasSent(schema, key.edits, key.sent, keyValue);
      settled.set(key.key, written ? { ...key, committedAt: keyValue.modRevision } : withoutSent(key));
    }
  }
  return settled.size === 0 ? change : withKeys(change, settled);
}

/** It was announced and never arrived. */
function withoutSent({ sent: _sent, ...key }: JournaledKey): JournaledKey {
  return key;
}

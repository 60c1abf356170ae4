import type { Etcd } from "../ports.js";
import type { KeyValue } from "../storage/key-value.js";
import { readPrefix } from "./range-reader.js";

/** The keys below a prefix that ends with a slash, without their values. */
export async function listKeys(etcd: Etcd, prefix: string): Promise<readonly KeyValue[]> {
  const keys: KeyValue[] = [];
  for await (const page of readPrefix(etcd, prefix, { revision: 0n, keysOnly: true })) keys.push(...page);
  return keys;
}

/** Deletes keys that are as they were read; returns how many. */
export async function removeKeys(etcd: Etcd, keys: readonly KeyValue[]): Promise<number> {
  let removed = 0;
  for (const { key, modRevision } of keys) {
    const outcome = await etcd.txn({
      operations: [{ action: "delete", key, modRevision }],
      preconditions: [],
    });
    if (outcome.kind === "committed") removed += 1;
  }
  return removed;
}

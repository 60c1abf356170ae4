import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import type { OriginalRecord } from "../plan/journal-record.js";
import type { JournalStore } from "../ports.js";

/** What a change's journal holds of a key. Throws `not-found`, and `journal-damaged`. */
export async function readOriginal(
  store: JournalStore,
  changeId: string,
  key: string,
): Promise<OriginalRecord> {
  for await (const record of store.read(changeId)) {
    if (record.type === "original" && record.key === key) return record;
  }
  throw new EtcdcidrError("not-found", {
    what: `cannot restore ${key}`,
    why: `the journal of ${changeId} does not have it`,
    now: NOTHING_WRITTEN,
    next: "name a change that has written this key (`etcdcidr changes`), or take the value from an etcd snapshot",
  });
}

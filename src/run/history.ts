import { createJournalFold, type JournaledChange } from "../plan/journaled-change.js";
import type { JournalStore } from "../ports.js";

/** Every change that has a journal here, oldest first. Throws `journal-damaged`. */
export async function readHistory(store: JournalStore): Promise<readonly JournaledChange[]> {
  const changes: JournaledChange[] = [];
  for (const changeId of await store.list()) {
    const fold = createJournalFold();
    let records = 0;
    for await (const record of store.read(changeId)) {
      fold.add(record);
      records += 1;
    }
    // A run that ended before its first record was on disk has sent nothing.
    if (records > 0) changes.push(fold.result());
  }
  // The ids tell seconds only, and a rollback may follow its change within one.
  return changes.sort((left, right) => left.begin.atMs - right.begin.atMs);
}

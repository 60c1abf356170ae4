import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import type { BeginRecord } from "../plan/journal-record.js";
import type { Plan } from "../plan/plan.js";
import type { Journal, JournalStore, Spool } from "../ports.js";

export interface WriteJournalRequest {
  readonly store: JournalStore;
  readonly spool: Spool;
  readonly plan: Plan;
  readonly by: Omit<BeginRecord, "type" | "changeId" | "plan">;
}

// Originals that are held in memory at a time.
const CHUNK_KEYS = 128;

/** Puts the plan and every original on disk. Nothing may be sent to etcd before this has returned. */
export async function writeJournal(
  request: WriteJournalRequest,
): Promise<{ readonly journal: Journal; readonly begin: BeginRecord }> {
  const { store, plan, by } = request;
  const changeId = changeIdOf(plan);
  const { id, cluster, readAt, intent, mode, nodeUids, outline } = plan;
  const header = { id, cluster, readAt, intent, mode, nodeUids, families: outline.families };
  const begin = { type: "begin", changeId, ...by, plan: header } as const;
  const journal = await store.create(changeId);
  try {
    journal.append(begin);
    await writeOriginals(journal, request);
    await journal.sync();
    return { journal, begin };
  } catch (error) {
    await journal.close().catch(() => undefined);
    throw error;
  }
}

async function writeOriginals(journal: Journal, { spool, plan }: WriteJournalRequest): Promise<void> {
  const { outline } = plan;
  const outlines = new Map(outline.nodes.map((node) => [node.key, node]));
  const changes = plan.stages.flatMap(({ groups }) => groups.flat());
  let written = Promise.resolve();
  for (let start = 0; start < changes.length; start += CHUNK_KEYS) {
    const chunk = changes.slice(start, start + CHUNK_KEYS);
    const values = await spool.read(chunk.map(({ key }) => key));
    for (const change of chunk) {
      const value = values.get(change.key);
      const node = outlines.get(change.key);
      if (change.action !== "update" || value === undefined || node === undefined) throw missing(change.key);
      const { key, modRevision, sha256, edits } = change;
      journal.append({ type: "original", key, modRevision, sha256, outline: node, edits, value });
    }
    // One chunk is on its way to the disk while the next is made.
    await written;
    written = journal.flush();
    // Awaited in the next round; until then a failure must not count as unhandled.
    written.catch(() => undefined);
  }
  await written;
  journal.append({ type: "ready", originals: changes.length });
}

function missing(key: string): EtcdcidrError {
  return new EtcdcidrError("internal", {
    what: `cannot journal ${key}`,
    why: "its stored bytes were not kept while the Nodes were read",
    now: NOTHING_WRITTEN,
    next: "report this",
  });
}

/** Sorts by time, and is unique by content: `20261201-113000-7f3a9c`. */
export function changeIdOf({ id, intent }: Plan): string {
  const [date = "", time = ""] = new Date(intent.nowMs).toISOString().split("T");
  return `${date.replaceAll("-", "")}-${time.slice(0, 8).replaceAll(":", "")}-${id.slice(0, 6)}`;
}

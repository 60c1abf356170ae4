import { readSnapshot, type SnapshotFacts } from "../../adapters/snapshot-file.js";
import type { GlobalOptions } from "../global-options.js";
import type { Io } from "../io.js";
import { renderData } from "../render-data.js";
import { renderSnapshot, saveSnapshotOf } from "../save-snapshot.js";
import { openSession } from "../session.js";

/** Saves a snapshot of etcd in a new file. */
export async function snapshotSave(path: string, options: GlobalOptions, io: Io): Promise<number> {
  const session = await openSession(options, io);
  try {
    return await show(await saveSnapshotOf(session, path, io), options, io);
  } finally {
    session.close();
  }
}

/** Proves a snapshot whole and says what it is. */
export async function snapshotStatus(path: string, options: GlobalOptions, io: Io): Promise<number> {
  return show(await readSnapshot(path), options, io);
}

async function show(facts: SnapshotFacts, { output }: GlobalOptions, io: Io): Promise<number> {
  io.out(output === "text" ? renderSnapshot(facts) : await renderData(facts, output));
  return 0;
}

import type { EtcdTarget } from "../adapters/etcd.js";
import type { SnapshotFacts } from "../adapters/snapshot-file.js";
import { escapeText } from "./escape-text.js";
import type { Io } from "./io.js";
import { formatBytes } from "./render-members.js";
import { currentTarget, type Session } from "./session.js";

/** Saves a snapshot of the member that the session uses, showing how far it is. */
export function saveSnapshotOf(session: Session, path: string, io: Io): Promise<SnapshotFacts> {
  return saveFrom(currentTarget(session), path, io);
}

/** The same of this endpoint; says what it has saved. */
export async function saveSnapshotFrom(target: EtcdTarget, path: string, io: Io): Promise<void> {
  io.err(renderSnapshot(await saveFrom(target, path, io)));
}

async function saveFrom(target: EtcdTarget, path: string, io: Io): Promise<SnapshotFacts> {
  const { saveSnapshot } = await import("../adapters/snapshot-save.js");
  let shownTenth = 0;
  let lineIsOpen = false;
  try {
    return await saveSnapshot(target, path, (bytes, total) => {
      const tenth = Math.floor((bytes * 10) / total);
      if (tenth === shownTenth) return;
      shownTenth = tenth;
      const text = `snapshot: ${formatBytes(BigInt(bytes))} of ${formatBytes(BigInt(total))}`;
      io.err(io.errIsTerminal ? `\r\u001b[K${text}` : `${text}\n`);
      lineIsOpen = io.errIsTerminal;
    });
  } finally {
    if (lineIsOpen) io.err("\n");
  }
}

export function renderSnapshot({ path, bytes, sha256, revision }: SnapshotFacts): string {
  return [
    `snapshot  ${escapeText(path)}`,
    `size      ${bytes} bytes (${formatBytes(BigInt(bytes))})`,
    `sha-256   ${sha256}`,
    `revision  ${revision}`,
    "",
  ].join("\n");
}

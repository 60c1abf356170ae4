import { EtcdcidrError } from "../errors.js";
import type { Etcd, Journal } from "../ports.js";
import type { Schema } from "../schema/schema.js";
import { sha256Hex } from "../storage/digest.js";
import type { PlannedUpdate, ReadPending } from "./apply.js";
import { afterLostCompare, recordAnswer } from "./lost-compare.js";

/** The first time: the edits go into the originals that the journal holds. */
export function pendingFromJournal(journal: Journal): ReadPending {
  return async (updates) => {
    const originals = await journal.originals(updates.map(({ change }) => change.key));
    return updates.map((update) => ({
      update,
      modRevision: update.change.modRevision,
      value: checkedOriginal(journal, update, originals),
      lostCompares: 0,
    }));
  };
}

/** After an interruption: into what etcd holds now, where that is not done already. */
export function pendingFromEtcd(etcd: Etcd, schema: Schema, journal: Journal): ReadPending {
  return async (updates, report) => {
    const pages = await Promise.all(updates.map(({ change }) => etcd.range({ key: change.key })));
    const current = new Map(
      pages.flatMap(({ keyValues }) => keyValues).map((keyValue) => [keyValue.key, keyValue]),
    );
    const unknown = updates.map((update) => ({
      update,
      modRevision: -1n,
      value: new Uint8Array(),
      lostCompares: 0,
    }));
    const answer = afterLostCompare({ schema }, unknown, current);
    recordAnswer(answer, journal, report);
    return answer.pending;
  };
}

/** The way back is what the journal holds, so that and nothing else is what the edits go into. */
function checkedOriginal(
  { directory }: Journal,
  { change }: PlannedUpdate,
  originals: ReadonlyMap<string, Uint8Array>,
): Uint8Array {
  const value = originals.get(change.key);
  if (value !== undefined && sha256Hex(value) === change.sha256) return value;
  throw new EtcdcidrError("journal-unusable", {
    what: `the journal in ${directory} does not hold ${change.key} as it was read`,
    why: value === undefined ? "it has no such original" : "its bytes have another SHA-256",
    now: "this Node is not written",
    next: "check the disk; then run the command again",
  });
}

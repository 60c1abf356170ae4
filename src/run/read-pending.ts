import { EtcdcidrError } from "../errors.js";
import type { Etcd, Journal, Spool } from "../ports.js";
import type { Schema } from "../schema/schema.js";
import { sha256Hex } from "../storage/digest.js";
import type { PlannedUpdate, ReadPending } from "./apply.js";
import { afterLostCompare, recordAnswer } from "./lost-compare.js";

/** The first time: the edits go into the originals, which are in the journal by now, too. */
export function pendingFromSpool(spool: Spool): ReadPending {
  return async (updates) => {
    const originals = await spool.read(updates.map(({ change }) => change.key));
    return updates.map((update) => ({
      update,
      modRevision: update.change.modRevision,
      value: checkedOriginal(update, originals),
      lostCompares: 0,
    }));
  };
}

/** Bytes that a journal has, in the place of those that etcd holds. */
export function pendingFromJournal(original: Uint8Array): ReadPending {
  return async (updates) =>
    updates.map((update) => ({
      update,
      modRevision: update.change.modRevision,
      value: original,
      lostCompares: 0,
    }));
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

/** A file was between reading and now: these bytes are about to be written, and nothing but their SHA-256 proves them. */
function checkedOriginal({ change }: PlannedUpdate, originals: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const value = originals.get(change.key);
  if (value !== undefined && sha256Hex(value) === change.sha256) return value;
  throw new EtcdcidrError("journal-unusable", {
    what: `the temporary file does not hold ${change.key} as it was read`,
    why: value === undefined ? "it has no such value" : "its bytes have another SHA-256",
    now: "this Node is not written",
    next: "check the disk of the temporary directory, or set TMPDIR to another; then run the command again",
  });
}

import { copyFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect } from "vitest";
import { openJournalStore } from "../../src/adapters/journal-files.js";
import { JOURNAL_CODEC } from "../../src/plan/journal-line.js";
import type { JournaledChange } from "../../src/plan/journaled-change.js";
import type { JournalStore } from "../../src/ports.js";
import { readHistory } from "../../src/run/history.js";
import type { Life } from "../harness/crash.js";
import { temporaryFolder } from "../harness/folder.js";
import { crash, expectResumed, expectRolledBack, undisturbed } from "./crash.js";
import type { Kind, Scene } from "./scene.js";

/** The points of a change of 3 Nodes, one Txn each, at which the power goes: what was appended last is not synced yet. */
export const POWER_GOES: readonly { readonly after: string; readonly killAfter: number }[] = [
  { after: "the second original", killAfter: 4 },
  { after: "ready", killAfter: 6 },
  { after: "the first intent", killAfter: 9 },
  { after: "the last intent", killAfter: 11 },
  { after: "the second committed", killAfter: 16 },
  { after: "the last committed", killAfter: 18 },
  { after: "end", killAfter: 19 },
];

const KIND: Kind = "in flight";
const NODES = 3;

/** The lengths to which the journal may be cut: what was synced stays, of the last two records every byte may be lost. */
export function cutsOf({ synced, length, lastTwo }: Tail, step: number): readonly number[] {
  const first = Math.max(synced, length - lastTwo);
  return Array.from(
    { length: Math.ceil((length - first) / step) },
    (_empty, index) => length - 1 - index * step,
  );
}

export interface Tail {
  readonly path: string;
  readonly synced: number;
  readonly length: number;
  /** Bytes of the last two records. */
  readonly lastTwo: number;
}

export async function losePower(endpoint: string, life: Life): Promise<{ scene: Scene; tail: Tail }> {
  const { scene, run } = await crash({ endpoint, kind: KIND, nodes: NODES, life });
  const [journal] = run.journals;
  expect(journal).toBeDefined();
  const { path = "", synced = 0, length = 0 } = journal ?? {};
  const lines = readFileSync(path, "utf8").split(/(?<=\n)/);
  return { scene, tail: { path, synced, length, lastTwo: Buffer.byteLength(lines.slice(-2).join("")) } };
}

/** Cuts a journal of such a change at one place, and goes on and back from there. */
export async function expectWayOn(endpoint: string, life: Life, cut: number): Promise<void> {
  const whole = await undisturbed(endpoint, KIND, NODES);
  const resumed = await losePower(endpoint, life);
  truncateSync(resumed.tail.path, resumed.tail.length - cut);
  await expectResumed(resumed.scene, whole);
  const rolledBack = await losePower(endpoint, life);
  truncateSync(rolledBack.tail.path, rolledBack.tail.length - cut);
  await expectRolledBack(rolledBack.scene, whole);
}

/** Cuts a copy of the journal at these lengths: it tells what its whole lines tell. */
export async function expectReadable({ path }: Tail, lengths: readonly number[]): Promise<void> {
  const bytes = readFileSync(path);
  const { store, file } = copyOf(path);
  const told = new Map<number, Promise<readonly JournaledChange[]>>();
  for (const length of lengths) {
    const whole = bytes.subarray(0, length).lastIndexOf(0x0a) + 1;
    writeFileSync(file, bytes.subarray(0, whole));
    const expected = told.get(whole) ?? readHistory(store);
    told.set(whole, expected);
    await expected;
    writeFileSync(file, bytes.subarray(0, length));
    expect(await readHistory(store)).toEqual(await expected);
  }
}

/** The same after a cut and one more record: nothing of the torn line is left. */
export async function expectGoesOn({ path }: Tail, cut: number): Promise<JournaledChange | undefined> {
  const { store, file } = copyOf(path);
  truncateSync(file, readFileSync(file).length - cut);
  const journal = await store.reopen(basename(dirname(path)));
  journal.append({ type: "resumed", atMs: 0, host: "kube-9", user: "root" });
  await journal.sync();
  await journal.close();
  return (await readHistory(store))[0];
}

function copyOf(path: string): { store: JournalStore; file: string } {
  const directory = temporaryFolder();
  const own = join(directory, basename(dirname(path)));
  mkdirSync(own);
  const file = join(own, basename(path));
  copyFileSync(path, file);
  return { store: openJournalStore(directory, JOURNAL_CODEC), file };
}

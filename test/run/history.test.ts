import { truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openJournalStore } from "../../src/adapters/journal-files.js";
import { JOURNAL_CODEC } from "../../src/plan/journal-line.js";
import { readHistory } from "../../src/run/history.js";
import { temporaryFolder } from "../harness/folder.js";
import { BEGIN } from "../harness/records.js";

test("changes of one second are in the order in which they were made", async () => {
  const store = openJournalStore(temporaryFolder(), JOURNAL_CODEC);
  const changes = [
    { changeId: "20261201-113000-ffffff", atMs: 100 },
    { changeId: "20261201-113000-000000", atMs: 300 },
    { changeId: "20261201-113000-888888", atMs: 200 },
  ];
  for (const { changeId, atMs } of changes) {
    const journal = await store.create(changeId);
    journal.append({ ...BEGIN, changeId, atMs });
    await journal.sync();
    await journal.close();
  }
  expect((await readHistory(store)).map(({ begin }) => begin.changeId)).toEqual([
    "20261201-113000-ffffff",
    "20261201-113000-888888",
    "20261201-113000-000000",
  ]);
});

test("a run that ended before its first record was on disk is no change", async () => {
  const directory = temporaryFolder();
  const store = openJournalStore(directory, JOURNAL_CODEC);
  const journal = await store.create(BEGIN.changeId);
  journal.append(BEGIN);
  await journal.sync();
  await journal.close();
  truncateSync(join(directory, BEGIN.changeId, "journal.jsonl"), 100);
  expect(await readHistory(store)).toEqual([]);
});

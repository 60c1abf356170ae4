import { mkdirSync, readFileSync, readlinkSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { openJournalStore } from "../../src/adapters/journal-files.js";
import { JOURNAL_CODEC } from "../../src/plan/journal-line.js";
import type { JournalRecord } from "../../src/plan/journal-record.js";
import type { JournalStore } from "../../src/ports.js";
import { canMakeReadOnly, canMount, readOnlyFolder, smallDisk, temporaryFolder } from "../harness/folder.js";
import { BEGIN, RECORDS } from "../harness/records.js";

const ID = BEGIN.changeId;

const storeIn = (directory: string): JournalStore => openJournalStore(directory, JOURNAL_CODEC);
const fileOf = (directory: string): string => join(directory, ID, "journal.jsonl");

async function writeRecords(directory: string, records = RECORDS): Promise<void> {
  const journal = await storeIn(directory).create(ID);
  for (const record of records) journal.append(record);
  await journal.sync();
  await journal.close();
}

async function readRecords(directory: string): Promise<JournalRecord[]> {
  const records: JournalRecord[] = [];
  for await (const record of storeIn(directory).read(ID)) records.push(record);
  return records;
}

function linesOf(directory: string): string[] {
  return readFileSync(fileOf(directory), "utf8").trimEnd().split("\n");
}

function writeLines(directory: string, lines: readonly (string | undefined)[]): void {
  writeFileSync(fileOf(directory), lines.map((line) => `${line}\n`).join(""));
}

const damage = (directory: string, line: number) => ({
  code: "journal-damaged",
  explanation: {
    what: `cannot trust the journal ${fileOf(directory)}`,
    why: `line ${line} is not as it was written`,
    now: "this run has written nothing; how far the journal's change has come is not known",
    next: "restore the file from a copy; or, if this change need not be undone any more, move its directory away",
  },
});

test("directories are 0700 and the file is 0600, missing ones above are made", async () => {
  const directory = join(temporaryFolder(), "state", "etcdcidr");
  await writeRecords(directory);
  const modes = [dirname(directory), directory, join(directory, ID), fileOf(directory)];
  expect(modes.map((path) => (statSync(path).mode & 0o777).toString(8))).toEqual([
    "700",
    "700",
    "700",
    "600",
  ]);
});

test("every new name is on disk when the journal is open", async () => {
  const folder = temporaryFolder();
  const handle = await open(join(folder, "any"), "w");
  const synced: string[] = [];
  const spy = vi
    .spyOn(Object.getPrototypeOf(handle) as FileHandle, "sync")
    .mockImplementation(async function (this: FileHandle) {
      synced.push(readlinkSync(`/proc/self/fd/${this.fd}`));
    });
  onTestFinished(() => spy.mockRestore());
  await handle.close();
  const journal = await storeIn(join(folder, "a", "b")).create(ID);
  await journal.close();
  expect(synced.map((path) => path.slice(folder.length))).toEqual(["/a/b", "/a", "", `/a/b/${ID}`]);
});

test("records come back as they were appended: bigint, bytes and Maps", async () => {
  const directory = temporaryFolder();
  await writeRecords(directory);
  expect(await readRecords(directory)).toEqual(RECORDS);
});

test("concurrent syncs lose and reorder nothing", async () => {
  const directory = temporaryFolder();
  const journal = await storeIn(directory).create(ID);
  const records = Array.from({ length: 300 }, (_empty, txn): JournalRecord => {
    return { type: "committed", txn, revision: BigInt(txn), keys: ["/k"] };
  });
  const appendAndSync = (record: JournalRecord) => {
    journal.append(record);
    return journal.sync();
  };
  await Promise.all(records.map(appendAndSync));
  await journal.close();
  expect(await readRecords(directory)).toEqual(records);
});

test("a last line that a crash has torn is left out, wherever it is torn", async () => {
  const directory = temporaryFolder();
  await writeRecords(directory);
  const text = readFileSync(fileOf(directory));
  const lastLine = text.lastIndexOf(0x0a, text.length - 2) + 1;
  for (let length = text.length - 1; length >= lastLine; length--) {
    truncateSync(fileOf(directory), length);
    expect(await readRecords(directory)).toEqual(RECORDS.slice(0, -1));
  }
});

test("zeros behind the last line, as some file systems leave them after a power loss, are a torn line", async () => {
  const directory = temporaryFolder();
  await writeRecords(directory);
  writeFileSync(fileOf(directory), Buffer.concat([readFileSync(fileOf(directory)), Buffer.alloc(5000)]));
  expect(await readRecords(directory)).toEqual(RECORDS);
});

test.each([...RECORDS.keys()])(
  "record %i with one other character is refused, naming the file",
  async (at) => {
    const directory = temporaryFolder();
    await writeRecords(directory);
    const lines = linesOf(directory);
    const line = lines[at] ?? "";
    for (let index = 0; index < line.length; index += 7) {
      const other = line[index] === "x" ? "y" : "x";
      writeLines(directory, lines.with(at, line.slice(0, index) + other + line.slice(index + 1)));
      await expect(readRecords(directory)).rejects.toMatchObject(damage(directory, at + 1));
    }
  },
);

test("a line taken out, put in twice, or moved is refused", async () => {
  const directory = temporaryFolder();
  await writeRecords(directory);
  const lines = linesOf(directory);
  writeLines(directory, lines.toSpliced(3, 1));
  await expect(readRecords(directory)).rejects.toMatchObject(damage(directory, 4));
  writeLines(directory, lines.toSpliced(3, 0, lines[2] ?? ""));
  await expect(readRecords(directory)).rejects.toMatchObject(damage(directory, 4));
  writeLines(directory, [lines[1], lines[0], ...lines.slice(2)]);
  await expect(readRecords(directory)).rejects.toMatchObject(damage(directory, 1));
  writeLines(directory, lines.toSpliced(2, 0, ""));
  await expect(readRecords(directory)).rejects.toMatchObject(damage(directory, 3));
});

test("lists what has a journal, oldest first, and nothing else that lies there", async () => {
  const directory = temporaryFolder();
  const ids = ["20261201-113000-7f3a9c", "20251201-113000-ffffff", "20261201-112959-000000"];
  for (const id of ids) await (await storeIn(directory).create(id)).close();
  mkdirSync(join(directory, "lost+found"));
  mkdirSync(join(directory, "20261201-120000-killed"));
  writeFileSync(join(directory, "notes.txt"), "");
  expect(await storeIn(directory).list()).toEqual([
    "20251201-113000-ffffff",
    "20261201-112959-000000",
    "20261201-113000-7f3a9c",
  ]);
  expect(await storeIn(join(directory, "absent")).list()).toEqual([]);
});

test("a journal is never written over", async () => {
  const directory = temporaryFolder();
  await writeRecords(directory);
  await expect(storeIn(directory).create(ID)).rejects.toMatchObject({
    code: "journal-unusable",
    explanation: { why: expect.stringMatching(/^EEXIST: file already exists/) },
  });
  expect(await readRecords(directory)).toEqual(RECORDS);
});

test("probing leaves nothing behind", async () => {
  const folder = temporaryFolder();
  await storeIn(join(folder, "a", "b")).probe(1000);
  expect(await storeIn(folder).list()).toEqual([]);
  expect(() => statSync(join(folder, "a"))).toThrow("ENOENT");
});

test("a file in the place of the directory is found out by probing", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "file"), "", { mode: 0o644 });
  const directory = join(folder, "file", "etcdcidr");
  await expect(storeIn(directory).probe(1000)).rejects.toMatchObject({
    code: "journal-unusable",
    explanation: {
      what: `cannot keep a journal in ${directory}`,
      next: "make it writable, or give another --journal-dir",
    },
  });
});

test.skipIf(!canMakeReadOnly)("a read-only directory is found out by probing, and by create", async () => {
  const directory = join(readOnlyFolder(), "etcdcidr");
  const unusable = {
    code: "journal-unusable",
    explanation: {
      what: `cannot keep a journal in ${directory}`,
      why: expect.stringMatching(/^(EROFS|EACCES): /),
      now: "nothing was written",
      next: "make it writable, or give another --journal-dir",
    },
  };
  await expect(storeIn(directory).probe(1000)).rejects.toMatchObject(unusable);
  await expect(storeIn(directory).create(ID)).rejects.toMatchObject({ code: "journal-unusable" });
});

test.skipIf(!canMount)("too small a disk is found out by probing", async () => {
  const disk = smallDisk(1024 * 1024);
  await storeIn(disk).probe(1_000_000);
  await expect(storeIn(disk).probe(3_500_000)).rejects.toMatchObject({
    code: "journal-unusable",
    explanation: {
      what: `cannot keep a journal in ${disk}`,
      why: "it takes up to 4 MB, and 1 MB are free",
      next: "make room, or give another --journal-dir",
    },
  });
});

test("a reopened journal goes on where a crash has torn it, and stays whole", async () => {
  const directory = temporaryFolder();
  await writeRecords(directory, RECORDS.slice(0, 4));
  truncateSync(fileOf(directory), statSync(fileOf(directory)).size - 3);
  const journal = await storeIn(directory).reopen(ID);
  journal.append(RECORDS[4] ?? BEGIN);
  await journal.sync();
  await journal.close();
  expect(await readRecords(directory)).toEqual([...RECORDS.slice(0, 3), RECORDS[4]]);
});

import { describe, expect, test } from "vitest";
import { JOURNAL_CODEC } from "../../src/plan/journal-line.js";
import type { JournalRecord } from "../../src/plan/journal-record.js";
import { cluster } from "../harness/read-set.js";
import { RECORDS } from "../harness/records.js";
import { planOver, recordsOf, rollbackIntent } from "./scene.js";

const REST: readonly JournalRecord[] = [
  { type: "committed", revision: 9_007_199_254_740_993n, keys: ["/registry/minions/a"] },
  { type: "dropped", key: "/registry/minions/a", reason: "deleted" },
  { type: "dropped", key: "/registry/minions/b", reason: "re-created" },
  { type: "resumed", atMs: 1, host: "kube-2", user: "operator" },
];

function textOf({ bytes }: { readonly bytes: Buffer }): string {
  return bytes.toString("utf8");
}

/** Lines without their line feeds. */
function linesOf(records: readonly JournalRecord[]): string[] {
  let sum = JOURNAL_CODEC.firstSum;
  return records.map((record) => {
    const encoded = JOURNAL_CODEC.encode(record, sum);
    sum = encoded.sum;
    return textOf(encoded).slice(0, -1);
  });
}

/** The records up to the first line that is not as it was written. */
function read(lines: readonly string[]): JournalRecord[] {
  let sum = JOURNAL_CODEC.firstSum;
  const records: JournalRecord[] = [];
  for (const line of lines) {
    const decoded = JOURNAL_CODEC.decode(line, sum);
    if (decoded === undefined) break;
    sum = decoded.sum;
    records.push(decoded.record);
  }
  return records;
}

describe("a record", () => {
  test.each([...RECORDS, ...REST])("comes back as it was: $type", (record) => {
    expect(read(linesOf([record]))).toEqual([record]);
  });

  test("so does all of a real plan's journal, and that of a rollback", () => {
    const plan = planOver(
      cluster()
        .node("n1", "10.112.0.0/24")
        .node("7", { podCidr: null, podCidrs: ["10.112.1.0/24"] }),
      "10.212.0.0/16",
    );
    const back = { ...plan, intent: rollbackIntent({ accept: ["changed-since"] }) };
    expect(read(linesOf([...recordsOf(plan), ...recordsOf(back)]))).toEqual([
      ...recordsOf(plan),
      ...recordsOf(back),
    ]);
  });

  test("is one line of ASCII braces and its sum, ending in one line feed", () => {
    const { bytes, sum } = JOURNAL_CODEC.encode({ type: "ready", originals: 3 }, "");
    expect(bytes.toString("utf8")).toBe(`{"sum":"${sum}","record":{"type":"ready","originals":3}}\n`);
    expect(sum).toBe("523107e4575702a8");
  });

  test("keeps text of any kind on its line", () => {
    const record: JournalRecord = { type: "dropped", key: 'a\n"b"\u2028\u{1f600}', reason: "deleted" };
    const text = textOf(JOURNAL_CODEC.encode(record, ""));
    expect(text.indexOf("\n")).toBe(text.length - 1);
    expect(read([text.slice(0, -1)])).toEqual([record]);
  });

  test("of a type that is not known is an error, not a damage", () => {
    const record = { type: "from-the-future" } as unknown as JournalRecord;
    const line = textOf(JOURNAL_CODEC.encode(record, "")).slice(0, -1);
    expect(() => JOURNAL_CODEC.decode(line, "")).toThrow(
      expect.objectContaining({
        code: "journal-damaged",
        explanation: {
          what: "cannot read this journal",
          why: 'it has a record of type "from-the-future", which this version of etcdcidr does not know',
          now: "this run has written nothing; how far the journal's change has come is not known",
          next: "use the version that wrote it",
        },
      }),
    );
  });
});

describe("a line that is not as it was written is noticed", () => {
  const records = [...RECORDS, ...REST];
  const lines = linesOf(records);
  const swapped = (lines: readonly string[], at: number) => [
    ...lines.slice(0, at),
    ...lines.slice(at, at + 2).reverse(),
    ...lines.slice(at + 2),
  ];

  test("as written, all are read", () => {
    expect(read(lines)).toEqual(records);
  });

  test.each(lines.map((_line, index) => index))("line %i, any character altered", (at) => {
    const line = lines[at] ?? "";
    for (let offset = 0; offset < line.length; offset += 1) {
      const other = line[offset] === "x" ? "y" : "x";
      const altered = `${line.slice(0, offset)}${other}${line.slice(offset + 1)}`;
      expect(read([...lines.slice(0, at), altered, ...lines.slice(at + 1)])).toEqual(records.slice(0, at));
    }
  });

  test.each(lines.map((_line, index) => index))("line %i, cut short anywhere", (at) => {
    const line = lines[at] ?? "";
    for (let length = 0; length < line.length; length += 1) {
      expect(read([...lines.slice(0, at), line.slice(0, length)])).toEqual(records.slice(0, at));
    }
  });

  test.each(lines.slice(0, -1).map((_line, index) => index))("line %i taken out", (at) => {
    expect(read([...lines.slice(0, at), ...lines.slice(at + 1)])).toEqual(records.slice(0, at));
  });

  test.each(lines.slice(0, -1).map((_line, index) => index))("lines %i and the next changed about", (at) => {
    expect(read(swapped(lines, at))).toEqual(records.slice(0, at));
  });

  test.each(lines.map((_line, index) => index))("line %i twice", (at) => {
    const twice = [...lines.slice(0, at + 1), ...lines.slice(at)];
    expect(read(twice)).toEqual(records.slice(0, at + 1));
  });

  test("a line of another journal", () => {
    const foreign =
      linesOf([
        { type: "ready", originals: 9 },
        { type: "ready", originals: 1 },
      ])[1] ?? "";
    expect(read([...lines.slice(0, 2), foreign])).toEqual(records.slice(0, 2));
  });
});

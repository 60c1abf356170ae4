import { EtcdcidrError } from "../../errors.js";
import type { Intent } from "../../plan/intent.js";
import type { JournaledChange } from "../../plan/journaled-change.js";
import { type ChangeRecord, isOutOfDate } from "../../plan/lock-holder.js";
import { isUnfinished, isWaiting, standingChanges } from "../../plan/select-change.js";
import { readChangeRecords } from "../../run/change-records.js";
import { readHistory } from "../../run/history.js";
import { escapeText } from "../escape-text.js";
import type { GlobalOptions } from "../global-options.js";
import type { Io } from "../io.js";
import { renderData } from "../render-data.js";
import { renderTable } from "../render-table.js";
import { journalStore, openSession } from "../session.js";

interface ChangeRow {
  readonly id: string;
  /** RFC 3339, UTC. */
  readonly at: string;
  readonly operation: string;
  readonly what: string;
  readonly state: string;
  /** How many Nodes are known to be written; absent for another host's change. */
  readonly nodes?: number;
  readonly host: string;
  readonly user: string;
  /** Where the journal lies on that host. */
  readonly journal: string;
  readonly here: boolean;
}

export async function listChanges(options: GlobalOptions, io: Io): Promise<number> {
  const store = journalStore(options);
  const history = await readHistory(store);
  const standing = new Set(standingChanges(history));
  const records = await recordsInEtcd(options, io);
  const recordOf = new Map(records.map((record) => [record.id, record]));
  const current = history.filter(
    (change) => !(isUnfinished(change) && isOutOfDate(change, recordOf.get(change.begin.changeId))),
  );
  const own = current.map((change) => ({
    atMs: change.begin.atMs,
    row: toRow(change, standing.has(change), store.directory),
  }));
  const known = new Set(own.map(({ row }) => row.id));
  const others = records
    .filter(({ id }) => !known.has(id))
    .map((record) => ({ atMs: record.atMs, row: toForeignRow(record) }));
  const rows = [...own, ...others].sort((left, right) => left.atMs - right.atMs).map(({ row }) => row);
  if (options.output !== "text") io.out(await renderData(rows, options.output));
  else if (rows.length === 0) io.err(`no changes in ${store.directory}\n`);
  else io.out(`${renderRows(rows).join("\n")}\n`);
  return 0;
}

/** What is in the journals can be told without etcd. */
async function recordsInEtcd(options: GlobalOptions, io: Io): Promise<readonly ChangeRecord[]> {
  try {
    const session = await openSession(options, io);
    try {
      return await readChangeRecords(session.etcd);
    } finally {
      session.close();
    }
  } catch (error) {
    if (!(error instanceof EtcdcidrError) || error.code === "usage") throw error;
    io.err(`warning: other hosts' changes are not listed: ${escapeText(error.message)}\n`);
    return [];
  }
}

function toRow(change: JournaledChange, stands: boolean, directory: string): ChangeRow {
  const { begin, keys, state } = change;
  const { changeId, atMs, host, user, plan } = begin;
  const written = [...keys.values()].filter(({ committedAt }) => committedAt !== undefined);
  const shown = isWaiting(change) ? "interrupted, not written" : state;
  return {
    id: changeId,
    at: timeText(atMs),
    operation: plan.intent.operation,
    what: describe(plan.intent, begin),
    state: stands || state === "not written" ? shown : "undone",
    nodes: written.length,
    host,
    user,
    journal: `${directory}/${changeId}`,
    here: true,
  };
}

function toForeignRow(record: ChangeRecord): ChangeRow {
  const { id, operation, of, host, user, journal, atMs, undoneBy } = record;
  const what = of === undefined ? "" : `of ${of}`;
  const state = undoneBy === undefined ? record.state : "undone";
  return { id, at: timeText(atMs), operation, what, state, host, user, journal, here: false };
}

function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}

function describe(intent: Intent, { plan }: JournaledChange["begin"]): string {
  if (intent.operation === "rollback") return `of ${intent.changeId}`;
  return plan.families.map(({ oldRange, target }) => `${oldRange ?? "(none)"} -> ${target}`).join(", ");
}

function renderRows(rows: readonly ChangeRow[]): readonly string[] {
  return renderTable(
    ["ID", "WHEN", "CHANGE", "WHAT", "STATE", "NODES", "JOURNAL"],
    rows.map(({ id, at, operation, what, state, nodes, host, journal, here }) => [
      id,
      at,
      operation,
      what,
      state,
      nodes === undefined ? "" : String(nodes),
      here ? "here" : `on ${host} in ${journal}`,
    ]),
  );
}

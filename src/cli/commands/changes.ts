import type { Intent } from "../../plan/intent.js";
import type { JournaledChange } from "../../plan/journaled-change.js";
import { standingChanges } from "../../plan/select-change.js";
import { readHistory } from "../../run/history.js";
import type { GlobalOptions } from "../global-options.js";
import type { Io } from "../io.js";
import { renderData } from "../render-data.js";
import { renderTable } from "../render-table.js";
import { journalStore } from "../session.js";

interface ChangeRow {
  readonly id: string;
  /** RFC 3339, UTC. */
  readonly at: string;
  readonly operation: Intent["operation"];
  readonly what: string;
  readonly state: string;
  readonly nodes: number;
  readonly host: string;
  readonly user: string;
}

export async function listChanges(options: GlobalOptions, io: Io): Promise<number> {
  const store = journalStore(options);
  const history = await readHistory(store);
  const standing = new Set(standingChanges(history));
  const rows = history.map((change) => toRow(change, standing.has(change)));
  if (options.output !== "text") io.out(await renderData(rows, options.output));
  else if (rows.length === 0) io.err(`no changes in ${store.directory}\n`);
  else io.out(`${renderRows(rows).join("\n")}\n`);
  return 0;
}

function toRow({ begin, keys, state }: JournaledChange, stands: boolean): ChangeRow {
  const { changeId, atMs, host, user, plan } = begin;
  const written = [...keys.values()].filter(({ committedAt }) => committedAt !== undefined);
  return {
    id: changeId,
    at: new Date(atMs).toISOString().replace(/\.\d+Z$/, "Z"),
    operation: plan.intent.operation,
    what: describe(plan.intent, begin),
    state: stands || state === "not written" ? state : "undone",
    nodes: written.length,
    host,
    user,
  };
}

function describe(intent: Intent, { plan }: JournaledChange["begin"]): string {
  if (intent.operation === "rollback") return `of ${intent.changeId}`;
  return plan.families.map(({ oldRange, target }) => `${oldRange ?? "(none)"} -> ${target}`).join(", ");
}

function renderRows(rows: readonly ChangeRow[]): readonly string[] {
  return renderTable(
    ["ID", "WHEN", "CHANGE", "WHAT", "STATE", "NODES"],
    rows.map(({ id, at, operation, what, state, nodes }) => [id, at, operation, what, state, String(nodes)]),
  );
}

import { thisHost } from "../../adapters/host.js";
import { EtcdcidrError } from "../../errors.js";
import type { JournaledChange } from "../../plan/journaled-change.js";
import type { JournalStore } from "../../ports.js";
import { findCluster } from "../../run/find-cluster.js";
import { readHistory } from "../../run/history.js";
import { readOwnKeys } from "../../run/own-keys.js";
import { type ChangeRow, changeRows, type DamagedJournal, type KnownChanges } from "../change-rows.js";
import { exitCodeOf } from "../exit-code.js";
import type { GlobalOptions } from "../global-options.js";
import type { Io } from "../io.js";
import { renderData } from "../render-data.js";
import { renderError } from "../render-error.js";
import { renderTable } from "../render-table.js";
import { journalStore, openSessionFor } from "../session.js";

/**
 * Lists what is known, whatever cannot be read: journals that are damaged, or etcd. Returns 0, or the exit code of the first
 * such fault.
 */
export async function listChanges(options: GlobalOptions, io: Io): Promise<number> {
  const store = journalStore(options);
  const { history, damaged } = await readJournals(store);
  const asked = await askEtcd(history, options, io);
  const inEtcd = asked instanceof EtcdcidrError ? {} : { inEtcd: asked };
  const rows = changeRows({ directory: store.directory, history, damaged, ...inEtcd });
  if (options.output !== "text") io.out(await renderData(rows, options.output));
  else if (rows.length === 0) io.err(`no changes in ${store.directory}\n`);
  else io.out(`${renderRows(rows).join("\n")}\n`);
  const faults = [
    ...damaged.map(({ error }) => error),
    ...(asked instanceof EtcdcidrError ? [recordsUnread(asked)] : []),
  ];
  for (const fault of faults) io.err(renderError(fault));
  return faults[0] === undefined ? 0 : exitCodeOf(faults[0].code);
}

/** Each journal by itself: one that is damaged hides no other. */
async function readJournals(store: JournalStore): Promise<Pick<KnownChanges, "history" | "damaged">> {
  const history: JournaledChange[] = [];
  const damaged: DamagedJournal[] = [];
  for (const id of await store.list()) {
    try {
      history.push(...(await readHistory({ ...store, list: async () => [id] })));
    } catch (error) {
      if (!(error instanceof EtcdcidrError)) throw error;
      damaged.push({ id, error });
    }
  }
  return { history: history.sort((left, right) => left.begin.atMs - right.begin.atMs), damaged };
}

/** What is in the journals can be told without etcd, so that an error is handed back; a bad flag is thrown. */
async function askEtcd(
  history: readonly JournaledChange[],
  options: GlobalOptions,
  io: Io,
): Promise<NonNullable<KnownChanges["inEtcd"]> | EtcdcidrError> {
  try {
    const session = await openSessionFor(undefined, history, options, io);
    try {
      const { cluster } = await findCluster(session);
      return { cluster, ownKeys: await readOwnKeys(session, thisHost()) };
    } finally {
      session.close();
    }
  } catch (error) {
    if (!(error instanceof EtcdcidrError) || error.code === "usage") throw error;
    return error;
  }
}

function recordsUnread(error: EtcdcidrError): EtcdcidrError {
  const { what, why, next } = error.explanation;
  return new EtcdcidrError(
    error.code,
    {
      what: "what is recorded in etcd could not be read",
      why: `${what}: ${why}`,
      now: "what is listed is what the journals on this host tell; a change may be running, and other hosts may have made some",
      next,
    },
    { cause: error },
  );
}

function renderRows(rows: readonly ChangeRow[]): readonly string[] {
  return renderTable(
    ["ID", "WHEN", "CHANGE", "WHAT", "STATE", "NODES", "JOURNAL"],
    rows.map((row) => [
      row.id,
      row.at ?? "",
      row.operation ?? "",
      row.fault ?? row.what ?? "",
      row.state,
      nodesText(row),
      journalText(row),
    ]),
  );
}

/** `5`, `2 of 5`, or `2 to 4 of 5` where of two it is not known. */
function nodesText({ nodes, nodesInDoubt = 0, nodesInAll }: ChangeRow): string {
  if (nodes === undefined) return "";
  const written = nodesInDoubt === 0 ? `${nodes}` : `${nodes} to ${nodes + nodesInDoubt}`;
  return nodesInAll === undefined || nodes === nodesInAll ? written : `${written} of ${nodesInAll}`;
}

function journalText({ here, host, journal, outOfDateHere, ofThisCluster }: ChangeRow): string {
  if (!here) return `on ${host} in ${journal}${outOfDateHere ? "; the one here is out of date" : ""}`;
  return ofThisCluster === false ? "here, of another cluster" : "here";
}

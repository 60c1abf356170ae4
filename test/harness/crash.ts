import { AsyncLocalStorage } from "node:async_hooks";
import { closeSync, openSync, readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { vi } from "vitest";
import type { JournalRecord } from "../../src/plan/journal-record.js";
import type { Etcd, Host, Journal, JournalStore, TxnRequest } from "../../src/ports.js";
import { type CliRun, runCli } from "./cli.js";

/** How a process of the tool, played in this one, comes to its end. */
export interface Life {
  /** The name of the host it runs on. */
  readonly host?: string;
  /** It is killed when this many things have happened: records appended, syncs, Txns. Absent: it lives. */
  readonly killAfter?: number;
  /** What becomes of the records that were not synced: all are kept (kill -9), or all are lost (power loss). */
  readonly unsynced?: "kept" | "lost";
  /** Called before each Txn. */
  readonly beforeTxn?: (request: TxnRequest) => Promise<void>;
}

/** What came of it. */
export interface Lived extends CliRun {
  /** `append intent`, `sync`, `txn /registry/minions/a`, in order. */
  readonly events: readonly string[];
  readonly killed: boolean;
  readonly txns: readonly TxnRequest[];
  /** Length of each journal that it wrote: of what was synced, and in all. */
  readonly journals: readonly { readonly path: string; readonly synced: number; readonly length: number }[];
}

interface Process extends Life {
  readonly pid: number;
  readonly events: string[];
  readonly txns: TxnRequest[];
  readonly journals: OpenJournal[];
  dead: boolean;
}

interface OpenJournal {
  readonly path: string;
  readonly inner: Journal;
  appended: number;
  synced: number;
}

const processes = new AsyncLocalStorage<Process>();
const alive = new Set<number>();
let lastPid = 100_000;

vi.mock("../../src/adapters/endpoint.js", async (importActual) => {
  const actual = await importActual<typeof import("../../src/adapters/endpoint.js")>();
  return {
    ...actual,
    connectEtcd: async (...args: Parameters<typeof actual.connectEtcd>) => {
      const connected = await actual.connectEtcd(...args);
      return { ...connected, etcd: mortalEtcd(connected.etcd) };
    },
  };
});

vi.mock("../../src/adapters/journal-files.js", async (importActual) => {
  const actual = await importActual<typeof import("../../src/adapters/journal-files.js")>();
  return {
    ...actual,
    openJournalStore: (...args: Parameters<typeof actual.openJournalStore>) =>
      mortalStore(actual.openJournalStore(...args)),
  };
});

vi.mock("../../src/adapters/host.js", async (importActual) => {
  const actual = await importActual<typeof import("../../src/adapters/host.js")>();
  return { ...actual, thisHost: () => playedHost(actual.thisHost()) };
});

/** What nobody catches: everything that is called afterwards throws it too. */
class Killed extends Error {}

/** Runs a command line as a process of its own: pid, host and life are its own. */
export async function live(argv: readonly string[], life: Life = {}): Promise<Lived> {
  lastPid += 1;
  const process: Process = { ...life, pid: lastPid, events: [], txns: [], journals: [], dead: false };
  alive.add(process.pid);
  const run = await processes.run(process, () => runCli(argv));
  alive.delete(process.pid);
  const { events, txns, dead: killed } = process;
  const journals = await Promise.all(process.journals.map((journal) => leave(journal, process)));
  return { ...run, events, txns, killed, journals };
}

/** The file as the disk has it after the process has ended so. */
async function leave({ path, inner, synced }: OpenJournal, { dead, unsynced }: Process) {
  await inner.close().catch(() => undefined);
  const lines = readFileSync(path, "utf8").split(/(?<=\n)/);
  const lengths = { synced: bytesOf(lines.slice(0, synced)), length: bytesOf(lines) };
  if (dead && unsynced === "lost") truncateSync(path, lengths.synced);
  return { path, ...lengths };
}

const bytesOf = (lines: readonly string[]) => Buffer.byteLength(lines.join(""));

function current(): Process {
  const process = processes.getStore();
  if (process === undefined) throw new Error("a command is run through `live`");
  return process;
}

function playedHost(real: Host): Host {
  const { pid, host = real.name } = current();
  return { ...real, name: host, pid, isAlive: (other) => alive.has(other) };
}

function check(process: Process): void {
  if (process.dead) throw new Killed("killed");
}

function happened(process: Process, event: string): void {
  process.events.push(event);
  if (process.events.length === process.killAfter) process.dead = true;
  check(process);
}

function mortalEtcd(etcd: Etcd): Etcd {
  const process = current();
  const call = async <Result>(send: () => Promise<Result>): Promise<Result> => {
    check(process);
    const result = await send();
    check(process);
    return result;
  };
  return {
    ...etcd,
    status: () => call(() => etcd.status()),
    range: (request) => call(() => etcd.range(request)),
    txn: async (request) => {
      await process.beforeTxn?.(request);
      const outcome = await call(() => etcd.txn(request));
      process.txns.push(request);
      happened(process, `txn ${request.operations.map(({ key }) => key).join(" ")}`);
      return outcome;
    },
    grantLease: (seconds) => call(() => etcd.grantLease(seconds)),
    keepLeaseAlive: (lease) => call(() => etcd.keepLeaseAlive(lease)),
    revokeLease: (lease) => call(() => etcd.revokeLease(lease)),
  };
}

function mortalStore(store: JournalStore): JournalStore {
  const process = current();
  return {
    ...store,
    create: async (changeId) => {
      check(process);
      return mortalJournal(await store.create(changeId), process);
    },
    reopen: async (changeId) => {
      check(process);
      return mortalJournal(await store.reopen(changeId), process);
    },
  };
}

function mortalJournal(inner: Journal, process: Process): Journal {
  const path = join(inner.directory, "journal.jsonl");
  const lines = readFileSync(path, "utf8").split("\n").length - 1;
  const journal = { path, inner, appended: lines, synced: lines };
  process.journals.push(journal);
  return {
    ...inner,
    append(record: JournalRecord) {
      check(process);
      inner.append(record);
      journal.appended += 1;
      happened(process, `append ${record.type}`);
    },
    async sync() {
      check(process);
      const { appended } = journal;
      await inner.sync();
      journal.synced = Math.max(journal.synced, appended);
      happened(process, "sync");
    },
    async close() {
      check(process);
      await inner.close();
    },
  };
}

/** Removes what stands behind so many bytes, as a power loss does. */
export function cutFile(path: string, length: number): void {
  truncateSync(path, length);
  closeSync(openSync(path, "r"));
}

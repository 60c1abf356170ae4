import { resolve } from "node:path";
import type { EtcdTarget } from "../adapters/etcd.js";
import { defaultJournalDirectory, thisHost } from "../adapters/host.js";
import { openJournalStore } from "../adapters/journal-files.js";
import { packageVersion, readDescriptor } from "../adapters/package-files.js";
import { type Backend, backendOf } from "../plan/backend.js";
import { JOURNAL_CODEC } from "../plan/journal-line.js";
import type { BeginRecord } from "../plan/journal-record.js";
import type { JournaledChange } from "../plan/journaled-change.js";
import type { Etcd, JournalStore } from "../ports.js";
import type { Descriptor } from "../schema/descriptor.js";
import { createSchema, type Schema } from "../schema/schema.js";
import { escapeText } from "./escape-text.js";
import type { GlobalOptions } from "./global-options.js";
import type { Io } from "./io.js";

/** An open connection and what goes with it. */
export interface Session {
  readonly etcd: Etcd;
  /** All endpoints that were found, and how to speak to them. */
  readonly targets: readonly EtcdTarget[];
  readonly schema: Schema;
  readonly descriptor: Descriptor;
  readonly backend: Backend;
  /** Key prefix without a trailing slash. */
  readonly prefix: string;
  close(): void;
}

const DEFAULT_PREFIX = "/registry";

/** Finds and opens etcd, and says which one on stderr. */
export async function openSession(options: GlobalOptions, io: Io): Promise<Session> {
  const { discoverEtcd } = await import("../adapters/discovery.js");
  const { connectEtcd } = await import("../adapters/endpoint.js");
  const found = discoverEtcd(options, process.env);
  const prefix = normalPrefix(options.prefix ?? found.prefix ?? DEFAULT_PREFIX);
  const { etcd, status, warnings } = await connectEtcd(found.targets, `${prefix}/`, (from, to, why) =>
    io.err(
      `warning: ${escapeText(from)} gives no answer (${escapeText(why)}); going on with ${escapeText(to)}\n`,
    ),
  );
  for (const { endpoint, why } of warnings)
    io.err(`warning: ${escapeText(endpoint)} is not used: ${escapeText(why)}\n`);
  io.err(`etcd ${escapeText(status.version)} at ${etcd.endpoint} (${escapeText(found.source)})\n`);
  const descriptor = readDescriptor() as Descriptor;
  const backend = backendOf(status.clusterId);
  const { targets } = found;
  const schema = createSchema(descriptor);
  return { etcd, targets, schema, descriptor, backend, prefix, close: () => etcd.close() };
}

/** The endpoint that is in use now. */
export function currentTarget({ etcd, targets }: Session): EtcdTarget {
  const target = targets.find(({ endpoint }) => endpoint === etcd.endpoint);
  if (target === undefined) throw new Error(`${etcd.endpoint} is none of the endpoints that were found`);
  return target;
}

/** For who is after a change: under the prefix it was made with; where none is named, under that of the newest. */
export async function openSessionFor(
  changeId: string | undefined,
  history: readonly JournaledChange[],
  options: GlobalOptions,
  io: Io,
): Promise<Session> {
  const change = history.find(({ begin }) => begin.changeId === changeId) ?? history.at(-1);
  const prefix = options.prefix ?? change?.begin.plan.intent.prefix;
  return openSession({ ...options, ...(prefix === undefined ? {} : { prefix }) }, io);
}

export function journalStore(options: GlobalOptions): JournalStore {
  // Recorded in etcd, where a path relative to this directory would lead nobody anywhere.
  const directory = resolve(options.journalDir ?? defaultJournalDirectory(process.env));
  return openJournalStore(directory, JOURNAL_CODEC);
}

/** What a journal says of the run that made it. */
export function runIdentity(
  endpoint: string,
  nowMs: number,
): Omit<BeginRecord, "type" | "changeId" | "plan"> {
  const { name, user } = thisHost();
  return { atMs: nowMs, toolVersion: packageVersion(), host: name, user, endpoint };
}

/** As kube-apiserver makes it from `--etcd-prefix`: one slash before, none after. */
function normalPrefix(prefix: string): string {
  return `/${prefix.split("/").filter(Boolean).join("/")}`;
}

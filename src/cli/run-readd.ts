import { join } from "node:path";
import { SYSTEM_CLOCK } from "../adapters/clock.js";
import type { EtcdTarget } from "../adapters/etcd.js";
import { defaultJournalDirectory, thisHost } from "../adapters/host.js";
import { watchInterrupts } from "../adapters/interrupts.js";
import { lockRuns } from "../adapters/run-lock.js";
import { createRunRecord, type RunRecord } from "../adapters/run-record.js";
import { EtcdcidrError } from "../errors.js";
import { toJson } from "../plan/json.js";
import { nextMemberStep } from "../reconcile/etcd-member.js";
import type { MemberDecision } from "../reconcile/member/decision.js";
import { confirmedList, findEntry } from "../reconcile/member/find-entry.js";
import { environmentLines } from "../reconcile/member/initial-cluster.js";
import type { MemberObservation } from "../reconcile/member/observed.js";
import { outcomeFaults } from "../reconcile/member/outcome-faults.js";
import { describeStep } from "../reconcile/member/step.js";
import { type ReaddEvent, readdMember } from "../run/readd-member.js";
import { type MemberVerification, verifyMember } from "../run/verify-member.js";
import { escapeText } from "./escape-text.js";
import type { GlobalOptions } from "./global-options.js";
import type { Io } from "./io.js";
import { type MemberHost, observeMember, performStep } from "./member-host.js";
import { renderData } from "./render-data.js";
import { saveSnapshotFrom } from "./save-snapshot.js";

export interface Readd {
  readonly host: MemberHost;
  readonly targets: readonly EtcdTarget[];
  readonly way: readonly MemberDecision[];
  readonly options: GlobalOptions & { readonly snapshot: string | boolean; readonly printEnv: boolean };
  readonly patienceMs: number;
}

/** Long enough for a member that joins and falls over again. */
const HOLD_MS = 5000;

/** Takes a snapshot, goes the whole way, proves that the member is back, and looks once more. Returns the exit code. */
export async function runReadd(readd: Readd, io: Io): Promise<number> {
  const directory = readd.options.journalDir ?? defaultJournalDirectory(process.env);
  const letGo = await lockRuns(join(directory, "member-readd.lock"), thisHost());
  try {
    return await runLocked(readd, directory, io);
  } finally {
    await letGo();
  }
}

async function runLocked(readd: Readd, directory: string, io: Io): Promise<number> {
  const { host, options, patienceMs } = readd;
  const name = `${timeText(SYSTEM_CLOCK.now())}-member-readd`;
  const record = await createRunRecord(join(directory, `${name}.jsonl`));
  const interrupts = watchInterrupts(
    () => io.err("\nfinishing the step that is under way; interrupt once more to end at once\n"),
    () => undefined,
  );
  try {
    await begin(record, readd);
    await takeSnapshot(readd, join(directory, `${name}.snapshot`), io);
    const tell = createTeller(readd, record, io);
    const say = (text: string): void => io.err(`${escapeText(text)}\n`);
    const observed = await readdMember({
      ...{ wanted: host.wanted, accepted: options.accept, clock: SYSTEM_CLOCK, patienceMs, tell },
      observe: () => observeMember(host),
      perform: (step, seen) => performStep(step, seen, { host, say, backups: join(directory, name) }),
      isInterrupted: interrupts.isRequested,
    });
    const verification = await verify(readd, observed);
    await record.append(toJson({ type: "end", ...verification }));
    await report(readd, verification, io);
    return 0;
  } finally {
    interrupts.dispose();
    await record.close();
  }
}

async function begin(record: RunRecord, { host, options }: Readd): Promise<void> {
  const { name, user } = thisHost();
  const { wanted, paths } = host;
  const atMs = SYSTEM_CLOCK.now();
  await record.append(
    toJson({ type: "begin", atMs, host: name, user, wanted, paths, accept: options.accept }),
  );
}

/** Only where the list is changed: a start and a promotion take nothing away. */
async function takeSnapshot({ targets, way, options, host }: Readd, path: string, io: Io): Promise<void> {
  const changes = way.some(({ next }) => next.kind === "step" && next.step.kind !== "promote");
  if (options.snapshot === false || !changes) return;
  const { connectEtcd } = await import("../adapters/endpoint.js");
  const { etcd } = await connectEtcd(targets, "/registry/");
  const { endpoint } = etcd;
  etcd.close();
  const target = targets.find((each) => each.endpoint === endpoint);
  if (target === undefined) throw new Error(`${endpoint} is none of ${host.endpoints.join(", ")}`);
  await saveSnapshotFrom(target, typeof options.snapshot === "string" ? options.snapshot : path, io);
}

/** Shows what changes, once; the four lines as soon as the member is listed and waits for etcd to be started. */
function createTeller({ host, options }: Readd, record: RunRecord, io: Io) {
  let shown = "";
  let printedFor: bigint | undefined;
  const out = options.output === "text" ? io.out : io.err;
  return async (event: ReaddEvent): Promise<void> => {
    const text = textOf(event);
    if (text !== shown) {
      await record.append(toJson({ type: "event", atMs: SYSTEM_CLOCK.now(), text }));
      io.err(`${escapeText(text)}\n`);
    }
    shown = text;
    const isAdded = event.kind === "state" && ["S4", "S8a"].includes(event.decision.state);
    if (!isAdded || (host.supervisor !== undefined && !options.printEnv)) return;
    const list = confirmedList(event.observed.cluster);
    const entry = list === undefined ? undefined : findEntry(host.wanted, list.members).entry;
    if (list === undefined || entry === undefined || entry.name !== "" || entry.id === printedFor) return;
    printedFor = entry.id;
    out(`${environmentLines(list.members, entry, host.wanted).join("\n")}\n`);
  };
}

function textOf(event: ReaddEvent): string {
  switch (event.kind) {
    case "state": {
      const { state, next } = event.decision;
      return next.kind === "wait" ? `${state}: waiting until ${next.until}` : `${state}`;
    }
    case "doing":
      return `${event.state}: ${describeStep(event.step)}`;
    case "done":
      return `${event.step.kind}: done`;
    case "not-done":
      return `${event.step.kind}: ${event.why}; looking again`;
  }
}

/** Twice, since a member may join and fall over. */
async function verify(readd: Readd, observed: MemberObservation): Promise<MemberVerification> {
  const { host, options } = readd;
  const first = await verifyMember(observed.cluster, host.open);
  await SYSTEM_CLOCK.sleep(HOLD_MS);
  const again = await observeMember(host);
  const { state } = nextMemberStep(again, host.wanted, options.accept);
  const second = await verifyMember(again.cluster, host.open);
  const faults = [
    ...first.faults,
    ...second.faults,
    ...outcomeFaults(again, host.wanted),
    ...(state === "S9" ? [] : [`${HOLD_MS / 1000} s later it no longer was a voter that runs (${state})`]),
  ];
  if (faults.length > 0) throw notVerified(host, faults);
  return second;
}

async function report({ host, options }: Readd, verification: MemberVerification, io: Io): Promise<void> {
  const { revision, hashes } = verification;
  const { wanted } = host;
  if (options.output !== "text")
    io.out(await renderData({ state: "done", member: wanted.name, revision, hashes }, options.output));
  io.err(
    `${escapeText(wanted.name)} is back as a voter; ${hashes.size} voters hold the same keys at revision ${revision}\n`,
  );
}

function notVerified({ wanted }: MemberHost, faults: readonly string[]): EtcdcidrError {
  return new EtcdcidrError("not-verified", {
    what: `${wanted.name} is a voter, and not all is well`,
    why: faults.join("; "),
    now: "the member is listed as a voter",
    next: "look at the members with `etcdcidr members`, and at etcd's log on this host",
  });
}

function timeText(ms: number): string {
  return new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, "");
}

import { basename, join } from "node:path";
import { certificateFacts } from "../adapters/certificate-facts.js";
import { SYSTEM_CLOCK } from "../adapters/clock.js";
import type { EtcdConfiguration } from "../adapters/etcd-configuration.js";
import { makeDirectory } from "../adapters/journal-directory.js";
import { findLocalProcess } from "../adapters/local-process.js";
import type { MembershipAnswer } from "../ports.js";
import { confirmedList, findEntry } from "../reconcile/member/find-entry.js";
import { initialCluster } from "../reconcile/member/initial-cluster.js";
import type {
  HostFacts,
  LocalProcess,
  MemberObservation,
  WantedMember,
} from "../reconcile/member/observed.js";
import type { MemberStep } from "../reconcile/member/step.js";

/** What starts and stops etcd on this host, and the file that it takes etcd's flags from. */
export interface Supervisor {
  readonly path: string;
  /** As it was when the run began. */
  readonly configuration: EtcdConfiguration;
  /** What this run has done, which nobody could observe. */
  readonly memory: { startedId?: bigint; recycles: number };
  /** Whether the file is there. */
  exists(): Promise<boolean>;
  /** Its text, or what it is to be. */
  read(): Promise<string>;
  /** The text with these flags, by their names without dashes. */
  edit(text: string, flags: ReadonlyMap<string, string>): string;
  /** Why it may start etcd at any moment; undefined where it does not. */
  whyItRuns(): Promise<string | undefined>;
  stop(): Promise<void>;
  /** Puts the text into its place, and has etcd started; the id is that of the member it is rendered for. */
  start(text: string, renderedFor: bigint | undefined): Promise<void>;
  /** The member that the file was last rendered for. */
  renderedFor(): Promise<bigint | undefined>;
  /** Copies the file. */
  backUp(to: string): Promise<void>;
}

export async function findSupervisedProcess(supervisor: Supervisor): Promise<LocalProcess> {
  const found = await runningProcess(supervisor);
  if (found.isRunning) return found;
  const why = await supervisor.whyItRuns();
  return why === undefined ? found : { isRunning: true, why };
}

export async function supervisedFacts({
  configuration,
}: Supervisor): Promise<Pick<HostFacts, "certificates" | "version">> {
  const { certificates, peerUrl, version } = configuration;
  return {
    certificates: await Promise.all(certificates.map((files) => certificateFacts(files, peerUrl))),
    ...(version === undefined ? {} : { version }),
  };
}

const STOPS_WITHIN_MS = 120_000;
const BETWEEN_LOOKS_MS = 500;

/** Done when nothing listens any more and nobody has the data open. */
export async function stopSupervised(supervisor: Supervisor): Promise<MembershipAnswer> {
  await supervisor.stop();
  const since = SYSTEM_CLOCK.now();
  for (;;) {
    const { isRunning, why } = await runningProcess(supervisor);
    if (!isRunning) return { kind: "done" };
    if (SYSTEM_CLOCK.now() - since > STOPS_WITHIN_MS) return { kind: "not-done", why };
    await SYSTEM_CLOCK.sleep(BETWEEN_LOOKS_MS);
  }
}

export async function startSupervised(
  step: Extract<MemberStep, { kind: "start" }>,
  observed: MemberObservation,
  supervisor: Supervisor,
  wanted: WantedMember,
  backups: string,
): Promise<MembershipAnswer> {
  const old = await supervisor.read();
  if (await supervisor.exists()) {
    await makeDirectory(backups);
    await supervisor.backUp(join(backups, `${SYSTEM_CLOCK.now()}-${basename(supervisor.path)}`));
  }
  const text = step.joins ? renderConfiguration(supervisor, old, observed, wanted) : old;
  await supervisor.start(text, step.joins ? step.member.id : undefined);
  supervisor.memory.startedId = step.member.id;
  return { kind: "done" };
}

/** The file's text with which etcd joins the members as they are listed in what is observed. */
export function renderConfiguration(
  supervisor: Supervisor,
  text: string,
  { cluster }: MemberObservation,
  wanted: WantedMember,
): string {
  const members = confirmedList(cluster)?.members ?? [];
  const { entry } = findEntry(wanted, members);
  if (entry === undefined) throw new Error(`${wanted.name} is not listed`);
  const flags = new Map([
    ["initial-cluster", initialCluster(members, entry, wanted)],
    ["initial-cluster-state", "existing"],
  ]);
  return supervisor.edit(text, flags);
}

function runningProcess({ configuration }: Supervisor): Promise<LocalProcess> {
  const { peerUrl, clientUrls, dataDir, walDir } = configuration;
  return findLocalProcess([peerUrl, ...clientUrls], { dataDir, ...(walDir === undefined ? {} : { walDir }) });
}

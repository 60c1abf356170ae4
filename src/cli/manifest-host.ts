import { join } from "node:path";
import { certificateFacts } from "../adapters/certificate-facts.js";
import { SYSTEM_CLOCK } from "../adapters/clock.js";
import { type EtcdManifest, editEtcdManifest, readEtcdManifest } from "../adapters/etcd-manifest.js";
import { makeDirectory } from "../adapters/journal-directory.js";
import { findLocalProcess } from "../adapters/local-process.js";
import { type ManifestFile, manifestFile } from "../adapters/manifest-file.js";
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

/** A kubeadm host: the kubelet starts and stops etcd as its manifest comes and goes. */
export interface ManifestHost {
  readonly file: ManifestFile;
  /** As it was when the run began. */
  readonly manifest: EtcdManifest;
  /** What this run has done, which nobody could observe. */
  readonly memory: { startedId?: bigint; recycles: number };
}

export async function openManifestHost(path: string): Promise<ManifestHost> {
  const file = manifestFile(path);
  return { file, manifest: readEtcdManifest(await file.read(), path), memory: { recycles: 0 } };
}

/** With the manifest in its place the kubelet may start etcd at any moment. */
export async function findManifestProcess({ file, manifest }: ManifestHost): Promise<LocalProcess> {
  const found = await runningProcess(manifest);
  if (found.isRunning || !(await file.isInPlace())) return found;
  return { isRunning: true, why: `${file.path} is in its place` };
}

export async function manifestFacts({
  manifest,
}: ManifestHost): Promise<Pick<HostFacts, "certificates" | "version">> {
  const { certificates, peerUrl, version } = manifest;
  return {
    certificates: await Promise.all(certificates.map((files) => certificateFacts(files, peerUrl))),
    ...(version === undefined ? {} : { version }),
  };
}

const STOPS_WITHIN_MS = 120_000;
const BETWEEN_LOOKS_MS = 500;

/** Done when nothing listens any more and nobody has the data open. */
export async function stopByManifest({ file, manifest }: ManifestHost): Promise<MembershipAnswer> {
  await file.stop();
  const since = SYSTEM_CLOCK.now();
  for (;;) {
    const { isRunning, why } = await runningProcess(manifest);
    if (!isRunning) return { kind: "done" };
    if (SYSTEM_CLOCK.now() - since > STOPS_WITHIN_MS) return { kind: "not-done", why };
    await SYSTEM_CLOCK.sleep(BETWEEN_LOOKS_MS);
  }
}

export async function startByManifest(
  step: Extract<MemberStep, { kind: "start" }>,
  observed: MemberObservation,
  host: ManifestHost,
  wanted: WantedMember,
  backups: string,
): Promise<MembershipAnswer> {
  const { file, memory } = host;
  const old = await file.read();
  await makeDirectory(backups);
  await file.backUp(join(backups, `${SYSTEM_CLOCK.now()}-etcd.yaml`));
  const text = step.joins ? renderManifest(old, observed, wanted) : old;
  await file.place(text, step.joins ? step.member.id : undefined);
  memory.startedId = step.member.id;
  return { kind: "done" };
}

/** The manifest with which etcd joins the members as they are listed in what is observed. */
export function renderManifest(text: string, { cluster }: MemberObservation, wanted: WantedMember): string {
  const members = confirmedList(cluster)?.members ?? [];
  const { entry } = findEntry(wanted, members);
  if (entry === undefined) throw new Error(`${wanted.name} is not listed`);
  const flags = new Map([
    ["initial-cluster", initialCluster(members, entry, wanted)],
    ["initial-cluster-state", "existing"],
  ]);
  return editEtcdManifest(text, flags);
}

function runningProcess({ peerUrl, clientUrls, dataDir, walDir }: EtcdManifest): Promise<LocalProcess> {
  return findLocalProcess([peerUrl, ...clientUrls], { dataDir, ...(walDir === undefined ? {} : { walDir }) });
}

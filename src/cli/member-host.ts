import { archiveData } from "../adapters/archive-data.js";
import { SYSTEM_CLOCK } from "../adapters/clock.js";
import { type DataPaths, inspectDataDirectory } from "../adapters/data-directory.js";
import { freeSpace } from "../adapters/free-space.js";
import { findLocalProcess } from "../adapters/local-process.js";
import { peerFault } from "../adapters/peer-fault.js";
import { EtcdcidrError } from "../errors.js";
import type { EtcdMembers, MembershipAnswer } from "../ports.js";
import { type ClusterObservation, formatId, statusOf } from "../reconcile/cluster-state.js";
import { confirmedList, findEntry } from "../reconcile/member/find-entry.js";
import type { MemberObservation, PeerProbe, WantedMember } from "../reconcile/member/observed.js";
import type { MemberStep } from "../reconcile/member/step.js";
import { observeCluster } from "../run/observe-cluster.js";
import {
  findSupervisedProcess,
  type Supervisor,
  startSupervised,
  stopSupervised,
  supervisedFacts,
} from "./supervisor.js";

/** The cluster as it is reached, and this host. */
export interface MemberHost {
  readonly endpoints: readonly string[];
  readonly open: (endpoint: string) => EtcdMembers;
  readonly wanted: WantedMember;
  readonly paths: DataPaths;
  /** What starts and stops etcd; else the operator does. */
  readonly supervisor?: Supervisor;
}

/** Looks at the cluster, the data directory and what runs here. */
export async function observeMember(host: MemberHost): Promise<MemberObservation> {
  const { endpoints, open, wanted, paths, supervisor } = host;
  const cluster = await observeCluster({ endpoints, open, clock: SYSTEM_CLOCK, polls: 2 });
  const [data, process, freeBytes] = await Promise.all([
    inspectDataDirectory(paths),
    supervisor === undefined ? findLocalProcess([wanted.peerUrl], paths) : findSupervisedProcess(supervisor),
    freeSpace(paths.dataDir),
  ]);
  const peerProbes = await probePeers(cluster, host);
  return {
    cluster,
    data,
    process,
    host: {
      ...{ nowMs: SYSTEM_CLOCK.now(), peerProbes },
      ...(freeBytes === undefined ? {} : { freeBytes }),
      ...(supervisor === undefined ? {} : await supervisedFacts(supervisor)),
    },
    ...(await whatWasDone(host, cluster)),
  };
}

/** Of a member that the operator starts nothing is known. */
async function whatWasDone(
  { supervisor, wanted }: MemberHost,
  cluster: ClusterObservation,
): Promise<Pick<MemberObservation, "wasRendered" | "recycles" | "startedId">> {
  if (supervisor === undefined) return { wasRendered: false, recycles: 0 };
  const { entry } = findEntry(wanted, confirmedList(cluster)?.members ?? []);
  const { startedId, recycles } = supervisor.memory;
  return {
    wasRendered: entry !== undefined && (await supervisor.renderedFor()) === entry.id,
    recycles,
    ...(startedId === undefined ? {} : { startedId }),
  };
}

/** The peer ports of the members that answer elsewhere: without these etcd of this host cannot join. */
async function probePeers(
  { endpoints }: ClusterObservation,
  { wanted, supervisor }: MemberHost,
): Promise<readonly PeerProbe[]> {
  const answering = new Set(endpoints.flatMap((answer) => statusOf(answer)?.memberId ?? []));
  const members = endpoints.flatMap(({ list }) => list ?? [])[0]?.members ?? [];
  const urls = members
    .filter(({ id, peerUrls }) => answering.has(id) && !peerUrls.includes(wanted.peerUrl))
    .flatMap(({ peerUrls }) => peerUrls);
  return Promise.all(
    urls.map(async (url) => {
      const fault = await peerFault(url, supervisor?.configuration.peerCertificate);
      return fault === undefined ? { url } : { url, fault };
    }),
  );
}

/** How a step is done. */
export interface Performing {
  readonly host: MemberHost;
  readonly say: (text: string) => void;
  /** Where copies of what is overwritten go. */
  readonly backups: string;
}

/** Does one step. */
export async function performStep(
  step: MemberStep,
  observed: MemberObservation,
  { host, say, backups }: Performing,
): Promise<MembershipAnswer> {
  if (step.kind === "archive") {
    const archives = await archiveData(host.paths, archiveLabel(step.memberId));
    say(`the data are now in ${archives.join(" and ")}; when nobody needs them: rm -r ${archives.join(" ")}`);
    return { kind: "done" };
  }
  if (step.kind === "start" || step.kind === "stop") {
    const { supervisor, wanted } = host;
    if (supervisor === undefined) throw new Error(`${step.kind} is the operator's, and was asked of the run`);
    return step.kind === "stop"
      ? stopSupervised(supervisor)
      : startSupervised(step, observed, supervisor, wanted, backups);
  }
  if (step.kind === "remove" && observed.wasRendered && host.supervisor !== undefined)
    host.supervisor.memory.recycles += 1;
  const etcd = host.open(votingEndpoint(observed, host.wanted));
  try {
    if (step.kind === "add") return await etcd.add(step.peerUrl);
    return step.kind === "remove" ? await etcd.remove(step.member.id) : await etcd.promote(step.member.id);
  } finally {
    etcd.close();
  }
}

/** A voter that the quorum is reached through, and not the member itself: a learner takes no changes. */
function votingEndpoint({ cluster }: MemberObservation, { peerUrl }: WantedMember): string {
  const voter = cluster.endpoints.find((answer) => {
    const id = statusOf(answer)?.memberId;
    const own = answer.list?.members.find((member) => member.id === id);
    return answer.list?.read === "linearizable" && own?.peerUrls.includes(peerUrl) !== true;
  });
  if (voter !== undefined) return voter.endpoint;
  throw new EtcdcidrError("stopped", {
    what: "no voter can be asked to change the members",
    why: "none of the endpoints belongs to another voter that reaches the quorum",
    now: "what is done so far stays; `etcdcidr members` shows it",
    next: "give the endpoint of another voter with --endpoints",
  });
}

function archiveLabel(memberId: bigint | undefined): string {
  const time = new Date(SYSTEM_CLOCK.now()).toISOString().replaceAll(/[-:]|\.\d+/g, "");
  return `${time}-${memberId === undefined ? "unknown" : formatId(memberId)}`;
}

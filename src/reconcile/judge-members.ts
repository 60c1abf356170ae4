import { compareNaturally } from "../plan/natural-order.js";
import {
  type ClusterObservation,
  type EndpointAnswer,
  type ListedMember,
  type MemberList,
  type MemberStatus,
  statusOf,
} from "./cluster-state.js";
import { lagOf } from "./lag.js";
import { findMemberFaults, type MemberFault } from "./member-faults.js";
import { type Quorum, quorumOf } from "./quorum.js";

/** A listed member, or a given endpoint that is none. */
export interface MemberRow {
  /** Absent for an endpoint that does not answer and that no list names. */
  readonly id?: bigint;
  readonly name: string;
  readonly role: "voter" | "learner" | "not listed";
  readonly isLeader: boolean;
  readonly peerUrls: readonly string[];
  readonly clientUrls: readonly string[];
  /** Where it was asked; absent for a member without client URLs. */
  readonly endpoint?: string;
  readonly status?: MemberStatus;
  /** Why there is no status. */
  readonly unreachable?: string;
  /** Raft entries behind the highest applied index seen. */
  readonly lag?: bigint;
  readonly alarms: readonly string[];
}

export interface MembersReport {
  readonly clusterId: bigint;
  readonly rows: readonly MemberRow[];
  readonly quorum: Quorum;
  readonly healthy: boolean;
  /** What keeps the cluster from being healthy. */
  readonly faults: readonly MemberFault[];
}

/** What all answers together say of the cluster. At least one endpoint must have told a member list. */
export function judgeMembers(observation: ClusterObservation): MembersReport {
  const { endpoints } = observation;
  const list = bestList(endpoints);
  const listed = list.members
    .map((member) => listedRow(member, list, observation))
    .sort((left, right) => compareNaturally(left.name, right.name));
  const shown = new Set(listed.flatMap(({ endpoint }) => endpoint ?? []));
  const others = endpoints
    .filter((answer) => answer.given && !shown.has(answer.endpoint) && !isSecondUrl(answer, list))
    .map((answer) => unlistedRow(answer, observation));
  const rows = [...listed, ...others];
  const voters = listed.filter(({ role }) => role === "voter");
  const faults = findMemberFaults({ observation, list, rows });
  return {
    clusterId: list.clusterId,
    rows,
    quorum: quorumOf(voters.length, voters.filter(({ status }) => status !== undefined).length),
    healthy: faults.length === 0,
    faults,
  };
}

/** Of the cluster that was asked first: the quorum's word before a member's own. */
function bestList(endpoints: readonly EndpointAnswer[]): MemberList {
  const lists = endpoints.flatMap(({ list }) => list ?? []);
  const [first] = lists;
  const best =
    lists.find(({ read, clusterId }) => read === "linearizable" && clusterId === first?.clusterId) ?? first;
  if (best === undefined) throw new Error("no endpoint told a member list");
  return best;
}

function listedRow(member: ListedMember, list: MemberList, observation: ClusterObservation): MemberRow {
  const answer = answerOf(member, list, observation.endpoints);
  return {
    id: member.id,
    name: member.name,
    role: member.isLearner ? "learner" : "voter",
    peerUrls: member.peerUrls,
    clientUrls: member.clientUrls,
    ...(answer === undefined ? { unreachable: whyUnasked(member) } : told(answer, observation)),
    isLeader: leaderIn(list, observation.endpoints) === member.id,
    alarms: alarmsOf(member.id, observation),
  };
}

function unlistedRow(answer: EndpointAnswer, observation: ClusterObservation): MemberRow {
  const status = statusOf(answer);
  return {
    ...(status === undefined ? {} : { id: status.memberId }),
    name: "",
    role: "not listed",
    isLeader: false,
    peerUrls: [],
    clientUrls: [],
    ...told(answer, observation),
    alarms: [],
  };
}

function told(
  answer: EndpointAnswer,
  { endpoints }: ClusterObservation,
): Pick<MemberRow, "endpoint" | "status" | "unreachable" | "lag"> {
  const status = statusOf(answer);
  const lag = lagOf(answer, endpoints);
  return {
    endpoint: answer.endpoint,
    ...(status === undefined ? { unreachable: answer.fault ?? "no answer" } : { status }),
    ...(lag === undefined ? {} : { lag }),
  };
}

/** By what answers there, since an address may be taken by another; where nothing answers, by the address. */
function answerOf(
  { id, clientUrls }: ListedMember,
  { clusterId }: MemberList,
  endpoints: readonly EndpointAnswer[],
): EndpointAnswer | undefined {
  const own = endpoints.find((answer) => {
    const status = statusOf(answer);
    return status?.memberId === id && status.clusterId === clusterId;
  });
  return (
    own ?? endpoints.find((answer) => statusOf(answer) === undefined && clientUrls.includes(answer.endpoint))
  );
}

function whyUnasked({ clientUrls }: ListedMember): string {
  return clientUrls.length === 0 ? "it has never started" : `another answers at ${clientUrls.join(", ")}`;
}

/** Whether a member that has its row already answers here too. */
function isSecondUrl(answer: EndpointAnswer, { clusterId, members }: MemberList): boolean {
  const status = statusOf(answer);
  return status?.clusterId === clusterId && members.some(({ id }) => id === status.memberId);
}

/** The one that a member of the newest term names. */
function leaderIn({ clusterId }: MemberList, endpoints: readonly EndpointAnswer[]): bigint | undefined {
  const statuses = endpoints
    .flatMap((answer) => statusOf(answer) ?? [])
    .filter((each) => each.clusterId === clusterId);
  const [newest] = statuses
    .filter(({ leader }) => leader !== 0n)
    .sort((left, right) => Number(right.raftTerm - left.raftTerm));
  return newest?.leader;
}

function alarmsOf(id: bigint, { alarms }: ClusterObservation): readonly string[] {
  return (alarms ?? []).filter(({ memberId }) => memberId === id).map(({ alarm }) => alarm);
}

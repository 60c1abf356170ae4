import type { EndpointAnswer, ListedMember, MemberList } from "../cluster-state.js";
import { nextMemberStep } from "../etcd-member.js";
import type { MemberDecision } from "./decision.js";
import { confirmedList, findEntry } from "./find-entry.js";
import type { MemberObservation, WantedMember } from "./observed.js";
import { type MemberStep, NEW_ID } from "./step.js";

/** More than any way is long. */
const MOST_DECISIONS = 20;

export interface ForeseenDecision extends MemberDecision {
  /** What it will be decided on. */
  readonly observed: MemberObservation;
}

/** The whole way if all goes well: each decision from now on, up to the one that ends it. For showing, not for doing. */
export function foresee(
  observed: MemberObservation,
  wanted: WantedMember,
  accepted: readonly string[],
): readonly ForeseenDecision[] {
  const decisions: ForeseenDecision[] = [];
  let now = observed;
  while (decisions.length < MOST_DECISIONS) {
    const decision = nextMemberStep(now, wanted, accepted);
    decisions.push({ ...decision, observed: now });
    if (decision.next.kind === "done" || decision.next.kind === "refuse") break;
    now = decision.next.kind === "step" ? after(now, decision.next.step, wanted) : come(now, wanted);
  }
  return decisions;
}

function after(observed: MemberObservation, step: MemberStep, wanted: WantedMember): MemberObservation {
  switch (step.kind) {
    case "stop":
      return { ...withoutOwnAnswers(observed, wanted), process: { isRunning: false, why: "" } };
    case "remove":
      return {
        ...withMembers(observed, (members) => members.filter(({ id }) => id !== step.member.id)),
        wasRendered: false,
      };
    case "archive":
      return { ...observed, data: { kind: "empty" } };
    case "add":
      return withMembers(observed, (members) => [...members, newMember(step.peerUrl)]);
    case "start":
      return come(observed, wanted);
    case "promote":
      return withMembers(observed, (members) =>
        members.map((member) => (member.id === step.member.id ? { ...member, isLearner: false } : member)),
      );
  }
}

/** What is stopped no longer answers where the member is listed. */
function withoutOwnAnswers(observed: MemberObservation, wanted: WantedMember): MemberObservation {
  const members = confirmedList(observed.cluster)?.members ?? [];
  const own = findEntry(wanted, members).entry?.clientUrls ?? [];
  const endpoints = observed.cluster.endpoints.filter(({ endpoint }) => !own.includes(endpoint));
  return { ...observed, cluster: { ...observed.cluster, endpoints } };
}

function newMember(peerUrl: string): ListedMember {
  return { id: NEW_ID, name: "", peerUrls: [peerUrl], clientUrls: [], isLearner: true };
}

/** etcd has been started, has joined and has caught up; or what else was waited for has come. */
function come(observed: MemberObservation, wanted: WantedMember): MemberObservation {
  const list = confirmedList(observed.cluster);
  const entry = list === undefined ? undefined : findEntry(wanted, list.members).entry;
  if (list === undefined || entry === undefined) return observed;
  const named = { ...entry, name: wanted.name };
  const joined = withMembers(observed, (members) =>
    members.map((member) => (member.id === entry.id ? named : member)),
  );
  const { endpoints } = joined.cluster;
  const others = endpoints.filter(({ polls }) => polls.every((status) => status?.memberId !== entry.id));
  return {
    ...joined,
    cluster: { ...joined.cluster, endpoints: [...others, caughtUp(named, list, endpoints)] },
    data: { kind: "wal", memberId: entry.id, clusterId: list.clusterId },
    process: { isRunning: true, why: "" },
  };
}

function caughtUp(
  { id, isLearner }: ListedMember,
  { clusterId }: MemberList,
  endpoints: readonly EndpointAnswer[],
): EndpointAnswer {
  const statuses = endpoints.flatMap(({ polls }) => polls.flatMap((status) => status ?? []));
  const newest = statuses
    .filter((status) => status.clusterId === clusterId)
    .sort((left, right) => (left.appliedIndex > right.appliedIndex ? -1 : 1))[0];
  const status = newest === undefined ? undefined : { ...newest, memberId: id, isLearner };
  return { endpoint: "", given: false, polls: [status, status] };
}

function withMembers(
  observed: MemberObservation,
  change: (members: readonly ListedMember[]) => readonly ListedMember[],
): MemberObservation {
  const endpoints = observed.cluster.endpoints.map((answer) =>
    answer.list === undefined
      ? answer
      : { ...answer, list: { ...answer.list, members: change(answer.list.members) } },
  );
  return { ...observed, cluster: { ...observed.cluster, endpoints } };
}

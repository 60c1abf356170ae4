import {
  type ClusterObservation,
  type EndpointAnswer,
  formatId,
  type ListedMember,
  labelOf,
  type MemberList,
  statusOf,
} from "./cluster-state.js";
import type { MemberRow } from "./judge-members.js";
import { MAX_LAG } from "./lag.js";

export interface MemberFault {
  readonly code: (typeof MEMBER_FAULTS)[number];
  readonly what: string;
  readonly next: string;
}

export const MEMBER_FAULTS = [
  "two-clusters",
  "lists-differ",
  "stale-list",
  "no-leader",
  "leaders-differ",
  "never-started",
  "learner",
  "unreachable",
  "alarm",
  "alarms-unknown",
  "lag",
] as const;

interface Judged {
  readonly observation: ClusterObservation;
  readonly list: MemberList;
  readonly rows: readonly MemberRow[];
}

/** Everything that keeps a cluster from being healthy, the gravest first. */
export function findMemberFaults(judged: Judged): readonly MemberFault[] {
  const { observation, list, rows } = judged;
  const listed = rows.filter(({ role }) => role !== "not listed");
  return [
    ...twoClusters(observation.endpoints),
    ...listsDiffer(observation.endpoints, list),
    ...staleLists(observation.endpoints),
    ...leaderFaults(observation.endpoints, list),
    ...listed.flatMap(rowFaults),
    ...alarmFaults(observation, list),
  ];
}

function twoClusters(endpoints: readonly EndpointAnswer[]): readonly MemberFault[] {
  const answers = endpoints.flatMap((answer) => {
    const status = statusOf(answer);
    return status === undefined ? [] : [{ endpoint: answer.endpoint, clusterId: status.clusterId }];
  });
  if (new Set(answers.map(({ clusterId }) => clusterId)).size < 2) return [];
  const all = answers.map(({ endpoint, clusterId }) => `${endpoint} is of cluster ${formatId(clusterId)}`);
  return [
    {
      code: "two-clusters",
      what: `the endpoints belong to different clusters: ${all.join(", ")}`,
      next: "find out which of them started with initial-cluster-state new where it should have been existing",
    },
  ];
}

function listsDiffer(endpoints: readonly EndpointAnswer[], best: MemberList): readonly MemberFault[] {
  const others = endpoints.filter(
    ({ list }) => list !== undefined && list.clusterId === best.clusterId && textOf(list) !== textOf(best),
  );
  return others.map(({ endpoint, list }) => ({
    code: "lists-differ",
    what: `${endpoint} has another member list: ${differences(list?.members ?? [], best.members).join(", ")}`,
    next: "wait until a change of the members has reached everyone, then look again",
  }));
}

/** Order has no meaning in a list. */
function textOf({ members }: Pick<MemberList, "members">): string {
  return members.map(lineOf).sort().join("\n");
}

function lineOf({ id, name, peerUrls, clientUrls, isLearner }: ListedMember): string {
  const urls = [...peerUrls]
    .sort()
    .concat([...clientUrls].sort())
    .join(",");
  return `${formatId(id)} ${name} ${urls} ${isLearner}`;
}

function differences(its: readonly ListedMember[], best: readonly ListedMember[]): readonly string[] {
  const only = (left: readonly ListedMember[], right: readonly ListedMember[]) =>
    left.filter((member) => !right.some((each) => lineOf(each) === lineOf(member))).map(labelOf);
  const more = only(its, best).map((label) => `it has ${label} so`);
  const fewer = only(best, its).map((label) => `the others have ${label} so`);
  return [...more, ...fewer];
}

function staleLists(endpoints: readonly EndpointAnswer[]): readonly MemberFault[] {
  return endpoints
    .filter(({ list }) => list?.read === "local")
    .map(({ endpoint, listFault = "" }) => ({
      code: "stale-list",
      what: `the list of ${endpoint} is a local read, which may be stale: ${listFault}`,
      next: "do not act on it until a quorum answers",
    }));
}

function leaderFaults(
  endpoints: readonly EndpointAnswer[],
  { clusterId }: MemberList,
): readonly MemberFault[] {
  const told = endpoints.flatMap((answer) => {
    const status = statusOf(answer);
    return status?.clusterId === clusterId ? [{ endpoint: answer.endpoint, leader: status.leader }] : [];
  });
  const leaderless = told.filter(({ leader }) => leader === 0n).map(({ endpoint }) => endpoint);
  const leaders = new Set(told.map(({ leader }) => leader).filter((leader) => leader !== 0n));
  const next = "wait for an election to end; if it does not, bring the members that do not answer back";
  return [
    ...(leaderless.length > 0
      ? [{ code: "no-leader" as const, what: `no leader is known to ${leaderless.join(", ")}`, next }]
      : []),
    ...(leaders.size > 1
      ? [
          {
            code: "leaders-differ" as const,
            what: `members name ${[...leaders].map(formatId).join(" and ")} as leader`,
            next,
          },
        ]
      : []),
  ];
}

function rowFaults(row: MemberRow): readonly MemberFault[] {
  const { id = 0n, name, role, status, unreachable, lag = 0n } = row;
  const label = labelOf({ id, name });
  if (name === "" && status === undefined) {
    return [
      {
        code: "never-started",
        what: `member ${label} (${row.peerUrls.join(", ")}) was added and has never started`,
        next: `start it, or remove it: etcdctl member remove ${formatId(id)}`,
      },
    ];
  }
  const learner: MemberFault = {
    code: "learner",
    what: `member ${label} is a learner and does not vote`,
    next: `when it has caught up: etcdctl member promote ${formatId(id)}`,
  };
  const silent: MemberFault = {
    code: "unreachable",
    what: `member ${label} does not answer: ${unreachable ?? ""}`,
    next: `look at etcd on the host of ${row.peerUrls.join(", ")}`,
  };
  const slow: MemberFault = {
    code: "lag",
    what: `member ${label} is ${lag} entries behind`,
    next: "look at its disk and network; it may be receiving a snapshot",
  };
  return [
    ...(role === "learner" ? [learner] : []),
    ...(status === undefined ? [silent] : []),
    ...(lag > MAX_LAG ? [slow] : []),
  ];
}

function alarmFaults({ alarms }: ClusterObservation, { members }: MemberList): readonly MemberFault[] {
  if (alarms === undefined) {
    return [
      {
        code: "alarms-unknown",
        what: "the alarms could not be read: etcd tells them only with a quorum",
        next: "look again when a quorum answers",
      },
    ];
  }
  return alarms.map(({ memberId, alarm }) => {
    const name = members.find(({ id }) => id === memberId)?.name ?? "";
    return {
      code: "alarm",
      what: `alarm ${alarm} is raised for member ${labelOf({ id: memberId, name })}`,
      next: NEXT_BY_ALARM[alarm] ?? "look at etcd's log",
    };
  });
}

const NEXT_BY_ALARM: Readonly<Record<string, string>> = {
  NOSPACE: "compact and defragment, or raise --quota-backend-bytes everywhere; then etcdctl alarm disarm",
  CORRUPT: "find the member whose HashKV differs and replace it; do not disarm before",
};

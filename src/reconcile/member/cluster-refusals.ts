import { formatId, type ListedMember, labelOf, statusOf } from "../cluster-state.js";
import { type ClusterView, isLive, statusIn } from "./cluster-view.js";
import type { MemberRefusal } from "./refusal.js";

/** What speaks against any change of the members, our own entry left aside. */
export function clusterRefusals(
  view: ClusterView,
  entry: ListedMember | undefined,
): readonly MemberRefusal[] {
  const others = view.list.members.filter(({ id }) => id !== entry?.id);
  return [
    ...others.flatMap((member) => memberRefusals(member, view)),
    ...alarmRefusals(view),
    ...statusRefusals(view),
    ...evenVoters(others),
  ];
}

/** Endpoints that another cluster answers at; our own entry's address may be taken by what is to be stopped. */
export function twoClusters(
  { list, observation }: ClusterView,
  entry: ListedMember | undefined,
): readonly MemberRefusal[] {
  const foreign = observation.endpoints.filter((answer) => {
    const status = statusOf(answer);
    const isOwn = entry?.clientUrls.includes(answer.endpoint) === true;
    return status !== undefined && status.clusterId !== list.clusterId && !isOwn;
  });
  return foreign.map(({ endpoint }) => ({
    code: "two-clusters",
    what: `${endpoint} belongs to another cluster than ${formatId(list.clusterId)}`,
    next: "give the endpoints of the cluster that the member is to return to",
  }));
}

function memberRefusals(member: ListedMember, view: ClusterView): readonly MemberRefusal[] {
  const { id, name, peerUrls, isLearner } = member;
  const remove = `etcdctl member remove ${formatId(id)}`;
  if (name === "")
    return [
      {
        code: "other-unnamed",
        what: `member ${formatId(id)} (${peerUrls.join(", ")}) was added and has never started; etcd refuses other changes meanwhile`,
        next: `start it, or remove it: ${remove}`,
      },
    ];
  if (isLearner)
    return [
      {
        code: "other-learner",
        what: `${name} is a learner, and etcd takes one at a time unless --max-learners says otherwise`,
        next: `wait until it is promoted, or remove it: ${remove}`,
      },
    ];
  if (isLive(view, id)) return [];
  return [
    {
      code: "other-member-down",
      what: `${name} does not answer either`,
      next: `bring ${name} back first where its data are kept`,
    },
  ];
}

function alarmRefusals({ list, observation: { alarms } }: ClusterView): readonly MemberRefusal[] {
  if (alarms === undefined)
    return [
      {
        code: "member-errors",
        what: "the alarms could not be read",
        next: "look at etcd's log, then run again",
      },
    ];
  return alarms.map(({ memberId, alarm }) => {
    const label = labelOf({ id: memberId, name: list.members.find(({ id }) => id === memberId)?.name ?? "" });
    return alarm === "NOSPACE"
      ? {
          code: "alarm-nospace",
          what: `alarm NOSPACE of ${label}: etcd takes no writes`,
          next: "compact, defragment, and disarm it: etcdctl alarm disarm",
        }
      : {
          code: "alarm-corrupt",
          what: `alarm ${alarm} of ${label}: members hold different data`,
          next: "find the member whose HashKV differs before anything else is changed",
        };
  });
}

function statusRefusals(view: ClusterView): readonly MemberRefusal[] {
  return view.list.members.flatMap((member) => {
    const status = statusIn(view, member.id);
    if (status === undefined) return [];
    const { dbSize, dbSizeQuota, errors } = status;
    const own = errors.filter((error) => !error.includes("alarm:"));
    const label = labelOf(member);
    return [
      ...own.map((error) => ({
        code: "member-errors" as const,
        what: `${label} says: ${error.trim()}`,
        next: "look at etcd's log, then run again",
      })),
      ...(dbSizeQuota !== undefined && dbSize * 10n > dbSizeQuota * 9n
        ? [
            {
              code: "database-nearly-full" as const,
              what: `the database of ${label} takes ${dbSize} of ${dbSizeQuota} bytes`,
              next: "compact and defragment, or raise --quota-backend-bytes, on every member",
            },
          ]
        : []),
    ];
  });
}

/** Two voters are on the way to three; four bear no more failures than three. */
function evenVoters(others: readonly ListedMember[]): readonly MemberRefusal[] {
  const voters = others.filter(({ isLearner }) => !isLearner).length + 1;
  if (voters < 4 || voters % 2 === 1) return [];
  return [
    {
      code: "even-voters",
      what: `there would be ${voters} voters, which bear no more failures than ${voters - 1}`,
      next: "remove the member that is gone for good first",
    },
  ];
}

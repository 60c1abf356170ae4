import {
  type ClusterObservation,
  type EndpointAnswer,
  type ListedMember,
  type MemberList,
  type MemberStatus,
  statusOf,
} from "../cluster-state.js";
import { lagOf } from "../lag.js";
import { type Quorum, quorumOf } from "../quorum.js";

/** A confirmed member list with what its members answer. */
export interface ClusterView {
  readonly list: MemberList;
  readonly observation: ClusterObservation;
  readonly quorum: Quorum;
}

export function viewCluster(observation: ClusterObservation, list: MemberList): ClusterView {
  const voters = list.members.filter(({ isLearner }) => !isLearner);
  const live = voters.filter(({ id }) => isLive({ list, observation }, id));
  return { list, observation, quorum: quorumOf(voters.length, live.length) };
}

/** The member's own newest status; undefined while it does not answer. */
export function statusIn(
  view: Pick<ClusterView, "list" | "observation">,
  id: bigint,
): MemberStatus | undefined {
  const answer = answerOf(view, id);
  return answer === undefined ? undefined : statusOf(answer);
}

/** Whether it answers and knows a leader; one that is cut off from the others still answers. */
export function isLive(view: Pick<ClusterView, "list" | "observation">, id: bigint): boolean {
  return (statusIn(view, id)?.leader ?? 0n) !== 0n;
}

/** Raft entries that a member is behind in each poll that it answered. */
export function lagsIn({ list, observation }: ClusterView, id: bigint): readonly bigint[] {
  const answer = answerOf({ list, observation }, id);
  if (answer === undefined) return [];
  return answer.polls.flatMap((status, poll) => {
    if (status === undefined) return [];
    const others = observation.endpoints.map((each) => ({ ...each, polls: [each.polls[poll]] }));
    return lagOf({ ...answer, polls: [status] }, others) ?? [];
  });
}

/** The quorum if this member were taken out of the list, or a live voter put in. */
export function quorumWithout(view: ClusterView, member: ListedMember): Quorum {
  const { voters, live } = view.quorum;
  if (member.isLearner) return view.quorum;
  return quorumOf(voters - 1, live - (isLive(view, member.id) ? 1 : 0));
}

export function quorumWithOneMore({ quorum }: ClusterView): Quorum {
  return quorumOf(quorum.voters + 1, quorum.live + 1);
}

function answerOf(
  { list, observation }: Pick<ClusterView, "list" | "observation">,
  id: bigint,
): EndpointAnswer | undefined {
  return observation.endpoints.find((answer) => {
    const status = statusOf(answer);
    return status?.memberId === id && status.clusterId === list.clusterId;
  });
}

import type {
  ClusterObservation,
  EndpointAnswer,
  ListedMember,
  MemberStatus,
} from "../../src/reconcile/cluster-state.js";

export const CLUSTER = 0xc1n;

/** Member N of a cluster on hosts 10.0.0.N. */
export function member(n: number, more: Partial<ListedMember> = {}): ListedMember {
  return {
    id: BigInt(n),
    name: `kube-${n}`,
    peerUrls: [`https://10.0.0.${n}:2380`],
    clientUrls: [`https://10.0.0.${n}:2379`],
    isLearner: false,
    ...more,
  };
}

export function status(n: number, more: Partial<MemberStatus> = {}): MemberStatus {
  return {
    clusterId: CLUSTER,
    memberId: BigInt(n),
    version: "3.6.16",
    revision: 100n,
    leader: 1n,
    isLearner: false,
    raftTerm: 2n,
    appliedIndex: 5000n,
    dbSize: 20480n,
    dbSizeQuota: 2147483648n,
    errors: [],
    ...more,
  };
}

/** What member N's endpoint answers when all is well. */
export function answer(
  n: number,
  members: readonly ListedMember[],
  more: Partial<EndpointAnswer> = {},
): EndpointAnswer {
  return {
    endpoint: `https://10.0.0.${n}:2379`,
    given: true,
    polls: [status(n)],
    list: { clusterId: CLUSTER, read: "linearizable", members },
    ...more,
  };
}

/** An endpoint that gives no answer. */
export function silent(n: number, given = false): EndpointAnswer {
  return {
    endpoint: `https://10.0.0.${n}:2379`,
    given,
    polls: [undefined],
    fault: "connection refused: nothing listens there",
  };
}

export const THREE: readonly ListedMember[] = [member(1), member(2), member(3)];

export function observation(
  endpoints: readonly EndpointAnswer[] = [1, 2, 3].map((n) => answer(n, THREE)),
  more: Partial<ClusterObservation> = {},
): ClusterObservation {
  return { endpoints, alarms: [], ...more };
}

import { compareNaturally } from "../../plan/natural-order.js";
import { type ClusterObservation, type ListedMember, labelOf, statusOf } from "../cluster-state.js";
import { quorumOf } from "../quorum.js";
import type { MemberRefusal } from "./refusal.js";

interface Voters {
  readonly all: readonly ListedMember[];
  readonly silent: readonly ListedMember[];
  readonly needed: number;
}

function votersIn({ endpoints }: ClusterObservation): Voters {
  const { members = [], clusterId } = endpoints.flatMap(({ list }) => list ?? [])[0] ?? {};
  const statuses = endpoints.flatMap((answer) => statusOf(answer) ?? []);
  const own = statuses.filter((status) => status.clusterId === clusterId);
  const answering = new Set(own.map(({ memberId }) => memberId));
  const all = members.filter(({ isLearner }) => !isLearner);
  const silent = all.filter(({ id }) => !answering.has(id));
  return { all, silent, needed: quorumOf(all.length, 0).needed };
}

/** Whether enough voters answer, so that they will have a leader soon. */
export function isElecting(observation: ClusterObservation): boolean {
  const { all, silent, needed } = votersIn(observation);
  return all.length > 0 && all.length - silent.length >= needed;
}

/** Without a quorum nothing can be changed; what is left, and the ways out in order of preference. */
export function noQuorum(observation: ClusterObservation): MemberRefusal {
  const { all, silent, needed } = votersIn(observation);
  const live = all.length - silent.length;
  const names = silent.map(labelOf).sort(compareNaturally).join(", ");
  return {
    code: "no-quorum",
    what:
      all.length === 0
        ? "no member could tell its list, so that no quorum is proven"
        : `no quorum: ${live} of ${all.length} voters answer${live === 1 ? "s" : ""}, ${needed} are needed; ${names === "" ? "no leader is elected" : `silent: ${names}`}`,
    next: [
      `first, bring back a member whose data are kept: start etcd on ${names === "" ? "the hosts that do not answer" : names}`,
      "else restore a snapshot on all members: `etcdutl snapshot restore <file> --name <name> --initial-cluster <all> --initial-advertise-peer-urls <own> --data-dir <new>`",
      "else, with a copy of its data made before, let the surviving member start once alone: `etcd --force-new-cluster`, then bring the others back with `etcdcidr member-readd`",
    ].join("; "),
  };
}

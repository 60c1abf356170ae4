import { type ClusterObservation, labelOf, statusOf } from "../cluster-state.js";
import { quorumOf } from "../quorum.js";
import type { MemberRefusal } from "./refusal.js";

/** Without a quorum nothing can be changed; what is left, and the ways out in order of preference. */
export function noQuorum({ endpoints }: ClusterObservation): MemberRefusal {
  const members = endpoints.flatMap(({ list }) => list ?? [])[0]?.members ?? [];
  const answering = new Set(endpoints.flatMap((answer) => statusOf(answer)?.memberId ?? []));
  const voters = members.filter(({ isLearner }) => !isLearner);
  const live = voters.filter(({ id }) => answering.has(id));
  const silent = voters.filter(({ id }) => !answering.has(id));
  const { needed } = quorumOf(voters.length, live.length);
  const names = silent.map(labelOf).join(", ");
  return {
    code: "no-quorum",
    what:
      voters.length === 0
        ? "no member could tell its list, so that no quorum is proven"
        : `no quorum: ${live.length} of ${voters.length} voters answer${live.length === 1 ? "s" : ""}, ${needed} are needed; ${silent.length === 0 ? "no leader is elected" : `silent: ${names}`}`,
    next: [
      `first, bring back a member whose data are kept: start etcd on ${names === "" ? "the hosts that do not answer" : names}`,
      "else restore a snapshot on all members: `etcdutl snapshot restore <file> --name <name> --initial-cluster <all> --initial-advertise-peer-urls <own> --data-dir <new>`",
      "else, with a copy of its data made before, let the surviving member start once alone: `etcd --force-new-cluster`, then bring the others back with `etcdcidr member-readd`",
    ].join("; "),
  };
}

import { formatId, type ListedMember } from "../cluster-state.js";
import type { WantedMember } from "./observed.js";

/**
 * The value of `--initial-cluster` for a member that joins: every listed member with every peer URL as it stands in the list,
 * since etcd compares these letter by letter. A member without a name gets its id as one; etcd looks at its own name alone
 * (etcdserver/bootstrap.go). Sorted by name, so that it is the same each time.
 */
export function initialCluster(
  members: readonly ListedMember[],
  self: ListedMember,
  { name }: WantedMember,
): string {
  return members
    .flatMap((member) => member.peerUrls.map((url) => `${nameIn(member, self, name)}=${url}`))
    .sort()
    .join(",");
}

function nameIn(member: ListedMember, self: ListedMember, ownName: string): string {
  if (member.id === self.id) return ownName;
  return member.name === "" ? formatId(member.id) : member.name;
}

/** The four lines that `etcdctl member add` prints. */
export function environmentLines(
  members: readonly ListedMember[],
  self: ListedMember,
  wanted: WantedMember,
): readonly string[] {
  return [
    `ETCD_NAME="${wanted.name}"`,
    `ETCD_INITIAL_CLUSTER="${initialCluster(members, self, wanted)}"`,
    `ETCD_INITIAL_ADVERTISE_PEER_URLS="${self.peerUrls.join(",")}"`,
    'ETCD_INITIAL_CLUSTER_STATE="existing"',
  ];
}

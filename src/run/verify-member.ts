import { EtcdcidrError } from "../errors.js";
import type { EtcdMembers } from "../ports.js";
import {
  type ClusterObservation,
  type EndpointAnswer,
  type ListedMember,
  labelOf,
  statusOf,
} from "../reconcile/cluster-state.js";
import { confirmedList } from "../reconcile/member/find-entry.js";

export interface MemberVerification {
  readonly revision: bigint;
  /** By member; undefined where the revision is compacted. */
  readonly hashes: ReadonlyMap<string, number | undefined>;
  readonly faults: readonly string[];
}

/** Compares what all voters that answer hold at one revision that each of them has. */
export async function verifyMember(
  cluster: ClusterObservation,
  open: (endpoint: string) => EtcdMembers,
): Promise<MemberVerification> {
  const list = confirmedList(cluster);
  const voters = (list?.members ?? []).filter(({ isLearner }) => !isLearner);
  const answering = voters.flatMap((member) => {
    const answer = cluster.endpoints.find((each) => statusOf(each)?.memberId === member.id);
    return answer === undefined ? [] : [{ member, answer }];
  });
  const revisions = answering.flatMap(({ answer }) => statusOf(answer)?.revision ?? []);
  const [revision = 0n] = revisions.sort((left, right) => (left < right ? -1 : 1));
  const hashes = new Map<string, number | undefined>();
  for (const { member, answer } of answering) {
    hashes.set(labelOf(member), await hashOf(member, answer, open, revision));
  }
  const known = new Set([...hashes.values()].filter((hash) => hash !== undefined));
  const differing = [...hashes].map(([name, hash]) => `${name} ${hash?.toString(16) ?? "compacted"}`);
  const faults =
    known.size > 1
      ? [`the members hold different keys at revision ${revision}: ${differing.join(", ")}`]
      : [];
  return { revision, hashes, faults };
}

async function hashOf(
  member: ListedMember,
  { endpoint }: EndpointAnswer,
  open: (endpoint: string) => EtcdMembers,
  revision: bigint,
): Promise<number | undefined> {
  const etcd = open(endpoint);
  try {
    return await etcd.hashKv(revision);
  } catch (error) {
    if (!(error instanceof EtcdcidrError)) throw error;
    throw new EtcdcidrError(
      "not-verified",
      {
        ...error.explanation,
        what: `the keys of ${labelOf(member)} could not be compared`,
        now: "the member is back as a voter",
        next: "look at the members with `etcdcidr members`",
      },
      { cause: error },
    );
  } finally {
    etcd.close();
  }
}

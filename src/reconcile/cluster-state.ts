/** One line of etcd's member list. */
export interface ListedMember {
  readonly id: bigint;
  /** Empty for a member that has never started. */
  readonly name: string;
  readonly peerUrls: readonly string[];
  readonly clientUrls: readonly string[];
  readonly isLearner: boolean;
}

/** A member list and how it was read: only what the quorum confirms cannot be stale. */
export interface MemberList {
  readonly clusterId: bigint;
  readonly read: "linearizable" | "local";
  readonly members: readonly ListedMember[];
}

/** What a member says of itself; indexes are raft's, sizes are in bytes. */
export interface MemberStatus {
  readonly clusterId: bigint;
  readonly memberId: bigint;
  /** The server's version, `3.6.16`. */
  readonly version: string;
  readonly revision: bigint;
  /** 0 while it knows none. */
  readonly leader: bigint;
  readonly isLearner: boolean;
  readonly raftTerm: bigint;
  readonly appliedIndex: bigint;
  readonly dbSize: bigint;
  /** Absent before etcd 3.6, which does not tell it. */
  readonly dbSizeQuota?: bigint;
  readonly errors: readonly string[];
}

export interface MemberAlarm {
  readonly memberId: bigint;
  readonly alarm: string;
}

/** What one endpoint answered, or why it did not. */
export interface EndpointAnswer {
  readonly endpoint: string;
  /** Whether the operator named it; else it comes from a member list. */
  readonly given: boolean;
  /** Its answers to one poll after the other; undefined where there was none. */
  readonly polls: readonly (MemberStatus | undefined)[];
  /** Why there is no status. */
  readonly fault?: string;
  readonly list?: MemberList;
  /** Why there is no list, or only a local one. */
  readonly listFault?: string;
}

export interface ClusterObservation {
  readonly endpoints: readonly EndpointAnswer[];
  /** Undefined where nobody could tell them: etcd reads them through the quorum. */
  readonly alarms: readonly MemberAlarm[] | undefined;
}

/** The newest status of an endpoint. */
export function statusOf({ polls }: Pick<EndpointAnswer, "polls">): MemberStatus | undefined {
  return polls.findLast((status) => status !== undefined);
}

/** As etcdctl prints ids: hexadecimal without leading zeros. */
export function formatId(id: bigint): string {
  return id.toString(16);
}

/** The name to call a member by: its own, or its id while it has none. */
export function labelOf({ id, name }: Pick<ListedMember, "id" | "name">): string {
  return name === "" ? formatId(id) : name;
}

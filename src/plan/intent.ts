/** What the operator asked for, as plain data: the planner reads nothing else but the read set. */
export type Intent = ChangePodCidrIntent | RollbackIntent | RestoreUnreadableIntent;

interface CommonIntent {
  /** When the command was given, milliseconds since the epoch; the planner has no clock of its own. */
  readonly nowMs: number;
  /** etcd key prefix without a trailing slash, `/registry`. */
  readonly prefix: string;
  /** Codes of findings that the operator accepts. */
  readonly accept: readonly string[];
  /** All changes in one Txn even while API servers watch. */
  readonly oneTransaction: boolean;
}

export interface ChangePodCidrIntent extends CommonIntent {
  readonly operation: "change-pod-cidr";
  /** The new cluster CIDRs in canonical text, in kube-controller-manager's order. */
  readonly clusterCidrs: readonly string[];
  /** kube-controller-manager's `--node-cidr-mask-size*`; absent ones take the default. */
  readonly nodeMaskSize?: number;
  readonly nodeMaskSizeIpv4?: number;
  readonly nodeMaskSizeIpv6?: number;
  readonly mapping: "index" | "compact";
  readonly reserved: readonly string[];
  /** Names of the only Nodes to change; empty = all. */
  readonly nodes: readonly string[];
  readonly assignMissing: boolean;
  readonly addFamily: boolean;
}

export interface RollbackIntent extends CommonIntent {
  readonly operation: "rollback";
  /** The id of the change to undo. */
  readonly changeId: string;
  readonly leaveNewNodes: boolean;
}

/** The one case in which old bytes replace newer ones: nobody can read those. */
export interface RestoreUnreadableIntent extends CommonIntent {
  readonly operation: "restore-unreadable";
  readonly key: string;
  /** The id of the change whose journal has the bytes. */
  readonly changeId: string;
}

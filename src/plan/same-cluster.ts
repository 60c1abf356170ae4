import type { ClusterIdentity } from "./plan.js";

export function isSameCluster(left: ClusterIdentity, right: ClusterIdentity): boolean {
  return left.etcdId === right.etcdId && left.kubeSystemUid === right.kubeSystemUid;
}

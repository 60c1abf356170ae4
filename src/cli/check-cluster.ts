import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import type { JournaledChange } from "../plan/journaled-change.js";
import type { ReadSet } from "../plan/read-set.js";
import { isSameCluster } from "../plan/same-cluster.js";

/** A journal is of one cluster. Throws `wrong-cluster`. */
export function checkCluster({ begin }: JournaledChange, { cluster }: ReadSet): void {
  const then = begin.plan.cluster;
  if (isSameCluster(then, cluster)) return;
  throw new EtcdcidrError("wrong-cluster", {
    what: `change ${begin.changeId} was made on another cluster`,
    why:
      `it is of etcd cluster ${then.etcdId.toString(16)} with kube-system ${then.kubeSystemUid}; ` +
      `this is ${cluster.etcdId.toString(16)} with ${cluster.kubeSystemUid}`,
    now: NOTHING_WRITTEN,
    next: `give the endpoints of that cluster (it was ${begin.endpoint})`,
  });
}

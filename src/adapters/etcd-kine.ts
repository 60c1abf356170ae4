import type { EtcdStatus } from "../ports.js";

/** Whether it is kine, which has no cluster and so no cluster id; an etcd's is never 0. */
export function isKine({ clusterId }: EtcdStatus): boolean {
  return clusterId === 0n;
}

/** What speaks etcd's API: etcd itself, or kine, which knows only part of it. */
export type Backend = "etcd" | "kine";

/** kine's cluster id is 0 (measured with kine 0.17.5); etcd's never is. */
export function backendOf(clusterId: bigint): Backend {
  return clusterId === 0n ? "kine" : "etcd";
}

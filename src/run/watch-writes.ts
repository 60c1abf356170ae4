import { backendOf } from "../plan/backend.js";
import type { ClusterIdentity } from "../plan/plan.js";
import type { Etcd } from "../ports.js";

/** Whether anybody writes to the cluster; etcdcidr's own keys lie elsewhere. */
export interface WriteWatch {
  /** The first key that was put, of all that etcd has taken until now. */
  seen(): Promise<string | undefined>;
  stop(): void;
}

/** Watches what is put under the prefix after a revision. On kine, where keys go one by one anyway, nobody looks. */
export function watchWrites(
  etcd: Etcd,
  { etcdId }: ClusterIdentity,
  prefix: string,
  after: bigint,
): WriteWatch {
  let key: string | undefined;
  const stop =
    backendOf(etcdId) === "kine"
      ? () => undefined
      : etcd.watchPut(`${prefix}/`, after + 1n, (put) => {
          key = put;
        });
  return {
    async seen() {
      // This read waits for every write before it, and the watch has told of those by the time it is answered.
      await etcd.range({ key: `${prefix}/`, keysOnly: true });
      return key;
    },
    stop,
  };
}

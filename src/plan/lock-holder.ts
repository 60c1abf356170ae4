import { parseOwn } from "./own-json.js";

/** Keys of the tool itself in etcd, outside Kubernetes' prefix. */
export const OWN_PREFIX = "/etcdcidr/";
export const LOCK_KEY = "/etcdcidr/lock";

/** Who holds the lock; the value of the lock's key. */
export interface LockHolder {
  readonly changeId: string;
  readonly host: string;
  /** The kernel's boot id and the pid namespace: after a reboot, or from another namespace, a pid tells nothing. */
  readonly bootId: string;
  readonly pid: number;
  readonly user: string;
  readonly sinceMs: number;
}

/** Undefined for a value that this tool did not write. */
export function parseLockHolder(value: Uint8Array): LockHolder | undefined {
  return parseOwn<LockHolder>(value, "pid");
}

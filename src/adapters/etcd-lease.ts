import type { Etcd3, ILeaseKeepAliveResponse } from "etcd3";

/** etcd's answer to everything about a lease that has ended or never was. */
export const LEASE_NOT_FOUND = "etcdserver: requested lease not found";

/** Returns the lease's id. kine hands out the time to live as id and forgets it, so what comes without a cluster is refused. */
export async function grantLease({ leaseClient }: Etcd3, ttlSeconds: number): Promise<bigint> {
  const { ID, header } = await leaseClient.leaseGrant({ TTL: ttlSeconds });
  if (BigInt(header?.cluster_id ?? 0) === 0n) {
    throw new Error(LEASES_OF_KINE);
  }
  return BigInt(ID);
}

/** In the form of kine's answers to what it does not know. */
const LEASES_OF_KINE = "12 UNIMPLEMENTED: a lease of several keys is not implemented by kine";

/** One exchange on a stream of its own: etcd3's Lease keeps timers that nobody sees. */
export async function keepLeaseAlive({ leaseClient }: Etcd3, lease: bigint): Promise<number> {
  const stream = await leaseClient.leaseKeepAlive();
  try {
    const { TTL } = await new Promise<ILeaseKeepAliveResponse>((resolve, reject) => {
      stream.on("data", resolve);
      stream.on("error", reject);
      stream.on("end", () => reject(new Error("14 UNAVAILABLE: the stream ended without an answer")));
      stream.write({ ID: lease.toString() });
    });
    return Number(TTL);
  } catch (error) {
    if (isGone(error)) {
      return 0;
    }
    throw error;
  } finally {
    stream.end();
  }
}

/** A lease that has ended already is no error. */
export async function revokeLease({ leaseClient }: Etcd3, lease: bigint): Promise<void> {
  try {
    await leaseClient.leaseRevoke({ ID: lease.toString() });
  } catch (error) {
    if (!isGone(error)) {
      throw error;
    }
  }
}

function isGone(error: unknown): boolean {
  return error instanceof Error && error.message.includes(LEASE_NOT_FOUND);
}

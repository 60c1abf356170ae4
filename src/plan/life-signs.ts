import { someOf } from "./findings/finding.js";
import type { ComponentLease, ReadSet } from "./read-set.js";

/** A component of the control plane, and what etcd alone shows of its life. */
export interface ComponentLife {
  readonly component: string;
  readonly isLive: boolean;
  readonly why: string;
}

// A leader renews its Lease every 2 s; what has not been renewed for a minute is a stopped or partitioned one.
const LIVE_LEASE_MS = 60_000;

/** A Lease's holder stays when it stops: only the time of the last renewal tells (measured); one that cannot be read counts as live. */
export function isRenewed({ renewedAtMs }: ComponentLease, nowMs: number): boolean {
  return !(nowMs - renewedAtMs > LIVE_LEASE_MS);
}

/**
 * Why an API server lives, one reason each; none = nothing shows that one does. A key under masterleases/ goes within 15 s of its
 * end; an API server may be told to keep none, but then others still write through it. Identity Leases stay for an hour and prove nothing.
 */
export function apiServerSigns(readSet: ReadSet, nowMs: number): readonly string[] {
  const { apiServerKeys, componentLeases, writtenMeanwhile } = readSet;
  if (apiServerKeys.length > 0) return apiServerKeys;
  return [
    ...componentLeases
      .filter((lease) => isRenewed(lease, nowMs))
      .map(({ key, renewTime }) => `${key}, renewed ${renewTime}`),
    ...(writtenMeanwhile === undefined ? [] : [`${writtenMeanwhile}, written while the plan was read`]),
  ];
}

/** A line for each component that runs, or has run, on this cluster. */
export function componentLife(readSet: ReadSet, nowMs: number): readonly ComponentLife[] {
  return [apiServerLife(readSet, nowMs), ...readSet.componentLeases.map((lease) => leaseLife(lease, nowMs))];
}

function apiServerLife(readSet: ReadSet, nowMs: number): ComponentLife {
  const component = "kube-apiserver";
  const signs = apiServerSigns(readSet, nowMs);
  if (signs.length > 0) return { component, isLive: true, why: someOf(signs) };
  const why = `no key under ${readSet.prefix}/masterleases/, no write under ${readSet.prefix}/ meanwhile`;
  return { component, isLive: false, why };
}

function leaseLife(lease: ComponentLease, nowMs: number): ComponentLife {
  const component = lease.key.split("/").at(-1) ?? "";
  return {
    component,
    isLive: isRenewed(lease, nowMs),
    why: `${lease.holder}, Lease renewed ${lease.renewTime}`,
  };
}

import type { ClusterObservation } from "../cluster-state.js";

/** The member that is to be brought back, as its host knows it. */
export interface WantedMember {
  readonly name: string;
  readonly peerUrl: string;
  /** Whether etcd is started and stopped by the run; else the operator does it. */
  readonly controlsProcess: boolean;
}

/** What lies in the data directory; ids are those in the head of the write-ahead log. */
export type DataDirectory =
  | { readonly kind: "empty" }
  | { readonly kind: "wal"; readonly memberId: bigint; readonly clusterId: bigint }
  | { readonly kind: "odd"; readonly oddity: "no-wal" | "symlink" | "unreadable"; readonly why: string };

export interface LocalProcess {
  readonly isRunning: boolean;
  /** What shows it: a URL that something listens on, or open files. */
  readonly why: string;
}

/** The returning host; what could not be looked at is absent. */
export interface HostFacts {
  readonly nowMs: number;
  readonly freeBytes?: bigint;
  /** Of the local etcd, `3.6.16`. */
  readonly version?: string;
  readonly certificates?: readonly CertificateFacts[];
  readonly peerProbes?: readonly PeerProbe[];
}

/** A certificate of this member, looked at with its CA; times are in milliseconds. */
export interface CertificateFacts {
  readonly path: string;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly coversPeerHost: boolean;
  readonly isOfCa: boolean;
  readonly matchesKey: boolean;
}

/** Another member's peer port, asked from this host with this member's peer certificate. */
export interface PeerProbe {
  readonly url: string;
  /** Why it gave no answer; absent when it did. */
  readonly fault?: string;
}

/** Everything the next step is decided on. */
export interface MemberObservation {
  /** With at least two polls. */
  readonly cluster: ClusterObservation;
  readonly data: DataDirectory;
  readonly process: LocalProcess;
  readonly host: HostFacts;
  /** The entry that this run has started etcd for. */
  readonly startedId?: bigint;
  /** Whether an earlier run has rendered a configuration for the entry that is listed now. */
  readonly wasRendered: boolean;
  /** How often this run has removed and added an entry whose data were lost after its start. */
  readonly recycles: number;
}

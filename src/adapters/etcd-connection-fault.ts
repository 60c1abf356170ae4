import type { EtcdTarget } from "./etcd.js";

/**
 * Whether gRPC's text proves that the request never left this host. Texts are no API: what is not known here counts
 * as sent.
 */
export function isNotSent(details: string): boolean {
  return NOT_SENT.test(details) && !SENT.test(details);
}

/** Why an endpoint gave no answer, and what to do. `dialing` says whose time limit it was. */
export function connectionFault(
  details: string,
  { endpoint, dialTimeoutMs, commandTimeoutMs }: EtcdTarget,
  dialing: boolean,
): { readonly why: string; readonly next: string } {
  const known = FAULTS.find(
    ({ text, scheme }) => text.test(details) && (scheme === undefined || endpoint.startsWith(scheme)),
  );
  if (known !== undefined) {
    return known;
  }
  if (details.startsWith("Deadline exceeded")) {
    const seconds = `${(dialing ? dialTimeoutMs : commandTimeoutMs) / 1000}s`;
    return details.includes("remote_addr=")
      ? {
          why: `no answer within ${seconds}: etcd is frozen, overloaded or without quorum`,
          next: "check etcd's health (etcdctl endpoint status --cluster), or raise --command-timeout",
        }
      : {
          why: `no connection within ${seconds}: the host is down, a firewall drops the packets, or etcd is frozen`,
          next: "check the endpoint and the host, or raise --dial-timeout",
        };
  }
  const why = details.replace(/\.? Resolution note: .*$/s, "").replace(/ \([0-9T:.-]+Z\)/, "");
  return { why, next: "look at etcd's log for the reason" };
}

const NOT_SENT =
  /Waiting for LB pick|waiting for (name resolution|metadata filters)|No connection established|Name resolution failed|Channel closed before call started|Failed to start HTTP\/2 stream|Request message serialization failure|client was already closed/;

const SENT = /remote_addr=|previous attempts/;

const FAULTS: readonly {
  readonly text: RegExp;
  readonly scheme?: "http://" | "https://";
  readonly why: string;
  readonly next: string;
}[] = [
  {
    text: /ECONNREFUSED/,
    why: "connection refused: nothing listens there",
    next: "check the endpoint, and that etcd runs there (crictl ps --name etcd, or systemctl status etcd)",
  },
  {
    text: /connect (ENOENT|EACCES)/,
    why: "the socket is not there, or this user may not use it",
    next: "check the path, and run as root",
  },
  {
    text: /EHOSTUNREACH|ENETUNREACH|ETIMEDOUT/,
    why: "the host cannot be reached over the network",
    next: "check the endpoint and the network",
  },
  {
    text: /Name resolution failed|ENOTFOUND|EAI_AGAIN/,
    why: "the host name cannot be resolved",
    next: "check the endpoint's host name, or use an address",
  },
  {
    text: /before secure TLS connection was established|wrong version number/,
    scheme: "https://",
    why: "what listens there does not speak TLS",
    next: "use http:// if this etcd is really without TLS",
  },
  {
    text: /Last error: (Error: )?(Failed to connect|.*ECONNRESET|.*socket hang up)/,
    scheme: "http://",
    why: "what listens there does not speak plain http/2, so it probably asks for TLS",
    next: "use https:// with --cacert, --cert and --key",
  },
  {
    // Of etcd's peer port over TLS 3.4 is "Failed to connect" and 3.6 is "Protocol error", as it is without TLS.
    text: /Last error: (Error: )?(Failed to connect|Protocol error)/,
    why: "what listens there does not speak gRPC: it is another program, or etcd's peer port (2380) or metrics port",
    next: "use etcd's client port (its --listen-client-urls, usually 2379)",
  },
  {
    text: /etcdserver: (no leader|request timed out|leader changed)/,
    why: "the cluster has no leader: its quorum is lost or a leader is being elected",
    next: "check the members (etcdctl endpoint status --cluster)",
  },
];

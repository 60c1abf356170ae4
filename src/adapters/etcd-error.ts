import type { X509Certificate } from "node:crypto";
import { type ErrorCode, EtcdcidrError } from "../errors.js";
import type { EtcdTarget } from "./etcd.js";
import { connectionFault, isNotSent } from "./etcd-connection-fault.js";
import { LEASE_NOT_FOUND } from "./etcd-lease.js";
import { TOKEN_FORGOTTEN } from "./etcd-token.js";
import { tlsFault } from "./tls-fault.js";

/** The call that failed. */
export type EtcdCall =
  | { readonly kind: "status" }
  | { readonly kind: "members" }
  | { readonly kind: "other"; readonly omission: string }
  | { readonly kind: "lease"; readonly verb: "grant" | "renew" | "end" }
  | { readonly kind: "range"; readonly key: string }
  | { readonly kind: "txn"; readonly keys: readonly string[] };

/**
 * Names what etcd3 or gRPC threw. Of a Txn it tells refused (nothing written), provably not sent and in doubt
 * apart; an unknown text is in doubt, since gRPC's texts are no API. `now` is in milliseconds; `server` is the
 * server's certificate where it is known.
 */
export function explainEtcdError(
  error: unknown,
  call: EtcdCall,
  target: EtcdTarget,
  now: number,
  server?: X509Certificate,
): EtcdcidrError {
  const { status, details } = statusOf(error);
  const fault = answeredFault(details) ?? handshakeFault(details, target, now, server);
  const { code, why, next } = fault ?? unansweredFault(status, details, call, target);
  return new EtcdcidrError(
    code,
    { what: whatFailed(code, call, details, target.endpoint), why, now: whatIsTrue(code, call), next },
    { cause: error },
  );
}

/** Whether this host never sent the Txn: unlike after any refusal, another endpoint may still take it. */
export function isProvablyUnsent(error: unknown): boolean {
  return (
    error instanceof EtcdcidrError && error.code === "not-sent" && isNotSent(statusOf(error.cause).details)
  );
}

/** Whether our own time limit ended the call. */
export function isTimedOut(error: EtcdcidrError): boolean {
  return statusOf(error.cause).details.startsWith("Deadline exceeded");
}

interface Fault {
  readonly code: ErrorCode;
  readonly why: string;
  readonly next: string;
}

/** etcd3 drops gRPC's code and details and keeps `3 INVALID_ARGUMENT: details` as the message. */
function statusOf(error: unknown): { readonly status?: number; readonly details: string } {
  const message = error instanceof Error ? error.message : String(error);
  const [, status, details] = /^(\d+) [A-Z_]+: (.*)$/s.exec(message) ?? [];
  return details === undefined ? { details: message } : { status: Number(status), details };
}

const TOO_MANY_OPERATIONS = "too many operations in txn request";
const GIVE_USER = "give --user name:password, or a client certificate whose common name is a user of etcd";
const SMALLER = "send fewer keys in one Txn";

/** What an etcd that is well answers; with each of them nothing is written. */
const ANSWERS: readonly (Fault & { readonly text: string })[] = [
  {
    text: TOO_MANY_OPERATIONS,
    code: "too-large",
    why: "it has more operations than etcd's --max-txn-ops allows",
    next: SMALLER,
  },
  {
    text: "etcdserver: request is too large",
    code: "too-large",
    why: "it is larger than etcd's --max-request-bytes allows",
    next: SMALLER,
  },
  {
    text: "received message larger than max",
    code: "too-large",
    why: "it is larger than etcd's gRPC server takes",
    next: SMALLER,
  },
  {
    text: "user name is empty",
    code: "authentication",
    why: "etcd has authentication switched on and no user is given",
    next: GIVE_USER,
  },
  {
    text: "authentication failed, invalid user ID or password",
    code: "authentication",
    why: "the user name or the password is wrong",
    next: GIVE_USER,
  },
  {
    text: "permission denied",
    code: "authentication",
    why: "the user's roles do not allow it",
    next: "use a user with the role root, or grant its role the keys (etcdctl role grant-permission)",
  },
  {
    text: TOKEN_FORGOTTEN,
    code: "authentication",
    why: "etcd does not know the token that it has just given",
    next: "check that all endpoints belong to one cluster with one kind of token (etcd's --auth-token)",
  },
  {
    text: "required revision has been compacted",
    code: "compacted",
    why: "etcd has compacted the revision that the pages are read at",
    next: "run the command again: it reads at a newer revision",
  },
  {
    text: "required revision is a future revision",
    code: "wrong-etcd",
    why: "the revision does not exist there: it is another cluster, or one that was restored meanwhile",
    next: "check the endpoints",
  },
  {
    text: "rpc not supported for learner",
    code: "unreachable",
    why: "the member is a learner, which answers no linearizable reads and takes no writes",
    next: "use the endpoint of a voting member",
  },
  {
    text: "database space exceeded",
    code: "not-sent",
    why: "etcd's space quota is used up (alarm NOSPACE)",
    next: "compact and defragment etcd, disarm the alarm, then run again",
  },
  {
    text: LEASE_NOT_FOUND,
    code: "not-sent",
    why: "the lease that a key is to hang on has ended",
    next: "run the command again",
  },
  {
    text: "unsupported operations in txn request",
    code: "wrong-etcd",
    why: "it is kine, which takes one key in a Txn and no other compares",
    next: "send the keys one by one",
  },
  {
    text: "is not implemented by kine",
    code: "wrong-etcd",
    why: "it is kine, which does not know this call",
    next: "use only what kine knows",
  },
];

function answeredFault(details: string): Fault | undefined {
  return ANSWERS.find(({ text }) => details.includes(text));
}

function handshakeFault(
  details: string,
  target: EtcdTarget,
  now: number,
  server: X509Certificate | undefined,
): Fault | undefined {
  const fault = tlsFault(details, target.tls ?? {}, now, server);
  return fault === undefined ? undefined : { code: "tls", ...fault };
}

/** gRPC codes of which the server says that it did not do the call: 3 invalid argument to 16 unauthenticated. */
const REFUSED_STATUS = new Set([3, 5, 6, 7, 9, 11, 12, 16]);

function unansweredFault(
  status: number | undefined,
  details: string,
  call: EtcdCall,
  target: EtcdTarget,
): Fault {
  const fault = connectionFault(details, target, call.kind === "status");
  if (call.kind !== "txn") {
    return { code: status === undefined ? "internal" : "unreachable", ...fault };
  }
  return isNotSent(details) || (status !== undefined && REFUSED_STATUS.has(status))
    ? { code: "not-sent", ...fault }
    : { code: "in-doubt", why: fault.why, next: "read its keys to see whether it was done" };
}

function whatFailed(code: ErrorCode, call: EtcdCall, details: string, endpoint: string): string {
  if (call.kind === "txn") {
    return `a Txn of ${count(call.keys.length, "key")} ${txnFate(code, details)} etcd at ${endpoint}`;
  }
  if (code === "tls") {
    return `no TLS connection to etcd at ${endpoint}`;
  }
  if (code === "authentication") {
    return `etcd at ${endpoint} refuses the user`;
  }
  return `etcd at ${endpoint} ${omission(call)}`;
}

function omission(call: Exclude<EtcdCall, { readonly kind: "txn" }>): string {
  switch (call.kind) {
    case "status":
      return "cannot be reached";
    case "members":
      return "did not tell its members";
    case "other":
      return call.omission;
    case "lease":
      return `did not ${call.verb} a lease`;
    case "range":
      return `did not serve a read of ${call.key}`;
  }
}

function txnFate(code: ErrorCode, details: string): string {
  if (code === "in-doubt") {
    return "was sent and not answered by";
  }
  return isNotSent(details) ? "could not be sent to" : "was refused by";
}

function whatIsTrue(code: ErrorCode, call: EtcdCall): string {
  if (call.kind === "lease") {
    return "a lease that is not renewed ends by itself, and its keys with it";
  }
  if (call.kind !== "txn") {
    return "nothing was written by this call";
  }
  return code === "in-doubt"
    ? "either all of its changes are in etcd or none is"
    : "none of its changes is in etcd";
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}

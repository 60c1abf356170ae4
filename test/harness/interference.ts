import { EtcdcidrError } from "../../src/errors.js";
import type { Etcd, TxnRequest } from "../../src/ports.js";

/** What happens around a run's Txns over Nodes; the first of them is number 1. */
export interface Interference {
  /** Done before the Txn of that number is sent. */
  readonly before?: Readonly<Record<number, Act>>;
  /** Done when it has been executed, before its answer is handed on or lost. */
  readonly after?: Readonly<Record<number, Act>>;
  /** Done before each Txn. */
  readonly beforeEach?: Act;
  /** What gets lost of the Txn of that number: it does not arrive, or its answer does not. */
  readonly lost?: Readonly<Record<number, "request" | "answer">>;
  /** From this Txn on no read of Nodes is served. */
  readonly silentFrom?: number;
}

/** The Nodes of the Txn, by name. */
export type Act = (nodes: readonly string[]) => Promise<void>;

let current: Interference = {};
let sent: string[][] = [];
let underWay = 0;
let peak = 0;

/** From now on this happens to every etcd that was opened through `interfered`. */
export function interfere(interference: Interference): void {
  current = interference;
  sent = [];
  peak = 0;
}

/** How many Txns over Nodes were under way at once since `interfere`. */
export function mostAtOnce(): number {
  return peak;
}

/** The Nodes of each Txn that was tried since `interfere`. */
export function sentTxns(): readonly (readonly string[])[] {
  return sent;
}

const NODES = "/minions/";

/** The etcd with what `interfere` says around its calls; what the tool keeps for itself in etcd goes by. */
export function interfered(etcd: Etcd): Etcd {
  return {
    ...etcd,
    async txn(request) {
      const nodes = nodesOf(request);
      if (nodes.length === 0) return etcd.txn(request);
      const txn = sent.push(nodes);
      await current.beforeEach?.(nodes);
      await current.before?.[txn]?.(nodes);
      const lost = current.lost?.[txn];
      if (lost === "request") throw noAnswer(etcd, nodes);
      underWay += 1;
      peak = Math.max(peak, underWay);
      const outcome = await etcd.txn(request).finally(() => {
        underWay -= 1;
      });
      await current.after?.[txn]?.(nodes);
      if (lost === "answer") throw noAnswer(etcd, nodes);
      return outcome;
    },
    async range(request) {
      const { silentFrom = Number.POSITIVE_INFINITY } = current;
      if (request.key.includes(NODES) && sent.length >= silentFrom) throw unreachable(etcd, request.key);
      return etcd.range(request);
    },
  };
}

function nodesOf({ operations }: TxnRequest): string[] {
  return operations
    .filter(({ key }) => key.includes(NODES))
    .map(({ key }) => key.slice(key.indexOf(NODES) + NODES.length));
}

/** As adapters/etcd-error.ts says it. */
function noAnswer({ endpoint }: Etcd, nodes: readonly string[]): EtcdcidrError {
  return new EtcdcidrError("in-doubt", {
    what: `a Txn of ${nodes.length} key${nodes.length === 1 ? "" : "s"} was sent and not answered by etcd at ${endpoint}`,
    why: "the connection broke before the answer",
    now: "either all of its changes are in etcd or none is",
    next: "read its keys to see whether it was done",
  });
}

function unreachable({ endpoint }: Etcd, key: string): EtcdcidrError {
  return new EtcdcidrError("unreachable", {
    what: `etcd at ${endpoint} did not serve a read of ${key}`,
    why: "no answer within 5 s: etcd is frozen, overloaded or without quorum",
    now: "nothing was written by this call",
    next: "look at etcd",
  });
}

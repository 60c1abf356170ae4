import { EtcdcidrError } from "../errors.js";
import type { Backend } from "./backend.js";
import type { WriteMode } from "./plan.js";

/** etcd's default `--max-txn-ops` is 128; one compare is left for the lock. */
export const MAX_OPERATIONS_OF_ONE_TXN = 127;
export const MAX_OPERATIONS_OF_A_BATCH = 64;
/** etcd's default `--max-request-bytes` is 1.5 MiB; the rest is for keys, compares and framing. */
export const MAX_TXN_BYTES: number = 1024 * 1024;
export const TXNS_IN_FLIGHT = 16;

export interface WriteModeRequest {
  readonly operations: number;
  /** Values and keys of all operations together. */
  readonly bytes: number;
  /** Why an API server lives; none = nothing shows that one does. */
  readonly lifeSigns: readonly string[];
  readonly oneTransaction: boolean;
  readonly backend: Backend;
}

/** Decides what is joined into a Txn. Throws `too-large` when all or nothing is asked for and does not fit. */
export function chooseWriteMode(request: WriteModeRequest): WriteMode {
  if (request.backend === "kine") return keyByKey(request);
  const fits = request.operations <= MAX_OPERATIONS_OF_ONE_TXN && request.bytes <= MAX_TXN_BYTES;
  if (request.oneTransaction) return forcedOneTransaction(request, fits);
  if (request.lifeSigns.length > 0) return ONE_BY_ONE;
  if (fits) return { kind: "one-transaction", why: "no API server lives, and everything fits into one Txn" };
  return {
    kind: "batches",
    why: `no API server lives; ${request.operations} changes do not fit into one Txn`,
  };
}

/** What can always be done, watched or not. */
export const ONE_BY_ONE: WriteMode = {
  kind: "one-node-a-transaction",
  why: "an API server lives: a watcher that reconnects between two objects of one revision would never see the second",
};

function keyByKey({ oneTransaction, operations }: WriteModeRequest): WriteMode {
  if (oneTransaction && operations > 1) {
    throw new EtcdcidrError("too-large", {
      what: "cannot make this change in one transaction",
      why: "this is kine, which takes one key a Txn",
      now: "nothing was written",
      next: "leave out --one-transaction",
    });
  }
  return {
    kind: "key-by-key",
    why: "this is kine, which takes one key a Txn and has no leases: no lock keeps a second run away",
  };
}

function forcedOneTransaction({ operations, bytes, lifeSigns }: WriteModeRequest, fits: boolean): WriteMode {
  if (!fits) {
    throw new EtcdcidrError("too-large", {
      what: "cannot make this change in one transaction",
      why: `${operations} keys of ${bytes} bytes; one Txn takes ${MAX_OPERATIONS_OF_ONE_TXN} keys and ${MAX_TXN_BYTES} bytes`,
      now: "nothing was written",
      next: "leave out --one-transaction",
    });
  }
  const risk =
    "; a watcher that reconnects at this very revision may miss some of the Nodes until their next status write";
  return { kind: "one-transaction", why: `--one-transaction was given${lifeSigns.length > 0 ? risk : ""}` };
}

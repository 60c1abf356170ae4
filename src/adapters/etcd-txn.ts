import type { ICompare, IKeyValue, IRequestOp, ITxnRequest, ITxnResponse } from "etcd3";
import type { TxnOperation, TxnOutcome, TxnRequest } from "../ports.js";
import type { KeyValue } from "../storage/key-value.js";

/** The three shapes that kine accepts, one key each; many keys and preconditions are joined to one Txn. */
export function txnRequest({ operations, preconditions }: TxnRequest): ITxnRequest {
  return {
    compare: [
      ...operations.map((operation) =>
        modEquals(operation.key, operation.action === "create" ? 0n : operation.modRevision),
      ),
      ...preconditions.map(({ key, modRevision }) => modEquals(key, modRevision)),
    ],
    success: operations.map(write),
    failure: operations
      .filter(({ action }) => action !== "create")
      .map(({ key }) => ({ request_range: { key: Buffer.from(key) } })),
  };
}

/** What the server answered: committed, or which keys are there instead. */
export function txnOutcome(answer: ITxnResponse, keyValue: (kv: IKeyValue) => KeyValue): TxnOutcome {
  const revision = BigInt(answer.header.revision);
  if (answer.succeeded) {
    return { kind: "committed", revision };
  }
  const current = answer.responses.flatMap(({ response_range }) => response_range?.kvs ?? []).map(keyValue);
  return { kind: "lost", revision, current: new Map(current.map((kv) => [kv.key, kv])) };
}

/** Older kine answers a create of a key that exists with this error (kine 0.10) instead of `succeeded: false`. */
export function lostCreate(error: unknown, { operations }: TxnRequest): TxnOutcome | undefined {
  const exists = error instanceof Error && error.message.includes("duplicate key given in txn request");
  return exists && operations.length === 1 && operations[0]?.action === "create"
    ? { kind: "lost", revision: 0n, current: new Map() }
    : undefined;
}

function modEquals(key: string, revision: bigint): ICompare {
  return { target: "Mod", result: "Equal", key: Buffer.from(key), mod_revision: revision.toString() };
}

function write(operation: TxnOperation): IRequestOp {
  const key = Buffer.from(operation.key);
  if (operation.action === "delete") {
    return { request_delete_range: { key } };
  }
  const { buffer, byteOffset, byteLength } = operation.value;
  const value = Buffer.from(buffer, byteOffset, byteLength);
  const lease = operation.lease === undefined ? {} : { lease: operation.lease.toString() };
  return { request_put: { key, value, ...lease } };
}

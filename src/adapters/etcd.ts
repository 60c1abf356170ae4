import type { CallOptions } from "@grpc/grpc-js";
import { noop } from "cockatiel";
import { Etcd3, type IKeyValue, type IOptions } from "etcd3";
import type { Etcd, EtcdStatus, RangePage, RangeRequest, TxnOutcome, TxnRequest } from "../ports.js";
import type { ListedMember } from "../reconcile/cluster-state.js";
import type { KeyValue } from "../storage/key-value.js";
import { CHANNEL_OPTIONS } from "./etcd-channel.js";
import { type EtcdCall, explainEtcdError } from "./etcd-error.js";
import { grantLease, keepLeaseAlive, revokeLease } from "./etcd-lease.js";
import { type EtcdUser, withToken } from "./etcd-token.js";
import { lostCreate, txnOutcome, txnRequest } from "./etcd-txn.js";
import { watchPut } from "./etcd-watch.js";
import { checkTlsFiles, type TlsFiles, trustedCertificates } from "./tls.js";
import { muteServerNameWarning } from "./tls-warning.js";

/** One endpoint and how to speak to it. `endpoint` is `http://host:port`, `https://host:port` or `unix:///path`. */
export interface EtcdTarget {
  readonly endpoint: string;
  readonly tls?: TlsFiles;
  readonly user?: EtcdUser;
  /** How long the first answer of an endpoint may take, in milliseconds. */
  readonly dialTimeoutMs: number;
  /** How long any other call may take, in milliseconds. */
  readonly commandTimeoutMs: number;
}

/** A client of one endpoint. Nothing is sent before the first call. Throws `tls` for files that cannot be used. */
export function openEtcd(target: EtcdTarget): Etcd {
  if (target.endpoint.startsWith("https://")) {
    checkTlsFiles(target.tls ?? {});
    muteServerNameWarning();
  }
  let interceptors: CallOptions["interceptors"];
  const client = new Etcd3({
    ...clientOptions(target),
    defaultCallOptions: ({ service, method }) => ({
      // A watch ends when it is stopped, not by itself.
      ...(method === "watch" ? {} : { deadline: deadlineOf(method, target) }),
      ...(interceptors !== undefined && service !== "Auth" ? { interceptors } : {}),
    }),
  });
  const token = withToken(client.auth, target.user, (use) => {
    interceptors = use;
  });
  const call = async <T>(about: EtcdCall, send: () => Promise<T>): Promise<T> => {
    try {
      return await token(send);
    } catch (error) {
      throw explainEtcdError(error, about, target, Date.now());
    }
  };
  return {
    endpoint: target.endpoint,
    status: () => call({ kind: "status" }, () => status(client)),
    range: (request) => call({ kind: "range", key: request.key }, () => range(client, request)),
    txn: (request) =>
      call({ kind: "txn", keys: request.operations.map(({ key }) => key) }, () => txn(client, request)),
    members: () => call({ kind: "members" }, () => members(client)),
    grantLease: (seconds) => call(GRANT, () => grantLease(client, seconds)),
    keepLeaseAlive: (lease) => call(KEEP_ALIVE, () => keepLeaseAlive(client, lease)),
    revokeLease: (lease) => call(REVOKE, () => revokeLease(client, lease)),
    watchPut: (prefix, from, onPut) => {
      const rangeEnd = Buffer.from(`${prefix.slice(0, -1)}0`);
      return watchPut(client, { key: Buffer.from(prefix), rangeEnd, from }, onPut);
    },
    close: () => client.close(),
  };
}

function deadlineOf(method: string, { dialTimeoutMs, commandTimeoutMs }: EtcdTarget): number {
  return Date.now() + (OPENING.has(method) ? dialTimeoutMs : commandTimeoutMs);
}

/** What is asked first of an endpoint. */
const OPENING = new Set(["status", "authenticate"]);

const GRANT: EtcdCall = { kind: "lease", verb: "grant" };
const KEEP_ALIVE: EtcdCall = { kind: "lease", verb: "renew" };
const REVOKE: EtcdCall = { kind: "lease", verb: "end" };

/** etcd3's own retries report lost compares for writes that did land, so they are off. */
function clientOptions(target: EtcdTarget): IOptions {
  const options: IOptions = {
    hosts: target.endpoint,
    faultHandling: { host: () => noop, global: noop },
    grpcOptions: CHANNEL_OPTIONS,
  };
  if (target.endpoint.startsWith("https://")) {
    const { ca, cert, key } = target.tls ?? {};
    options.credentials = {
      rootCertificate: ca?.pem ?? trustedCertificates(),
      ...(cert !== undefined && key !== undefined ? { certChain: cert.pem, privateKey: key.pem } : {}),
    };
  }
  return options;
}

async function status(client: Etcd3): Promise<EtcdStatus> {
  const answer = await client.maintenance.status();
  return {
    clusterId: BigInt(answer.header.cluster_id),
    memberId: BigInt(answer.header.member_id),
    version: answer.version,
    revision: BigInt(answer.header.revision),
    leader: BigInt(answer.leader),
    isLearner: answer.isLearner,
    dbSize: BigInt(answer.dbSize),
  };
}

async function members(client: Etcd3): Promise<readonly ListedMember[]> {
  const answer = await client.cluster.memberList({});
  return answer.members.map(({ ID, name, peerURLs, clientURLs, isLearner }) => ({
    id: BigInt(ID),
    name,
    peerUrls: peerURLs,
    clientUrls: clientURLs,
    isLearner,
  }));
}

/** Only what kine knows too: no sorting, no serializable read, no revision filters. */
async function range(client: Etcd3, request: RangeRequest): Promise<RangePage> {
  const answer = await client.kv.range({
    key: Buffer.from(request.key),
    ...(request.rangeEnd !== undefined ? { range_end: Buffer.from(request.rangeEnd) } : {}),
    ...(request.limit !== undefined ? { limit: request.limit } : {}),
    ...(request.revision !== undefined ? { revision: request.revision.toString() } : {}),
    ...(request.keysOnly === true ? { keys_only: true } : {}),
  });
  return {
    revision: BigInt(answer.header.revision),
    keyValues: answer.kvs.map(keyValue),
    more: answer.more,
  };
}

async function txn(client: Etcd3, request: TxnRequest): Promise<TxnOutcome> {
  try {
    return txnOutcome(await client.kv.txn(txnRequest(request)), keyValue);
  } catch (error) {
    const lost = lostCreate(error, request);
    if (lost === undefined) {
      throw error;
    }
    return lost;
  }
}

function keyValue(kv: IKeyValue): KeyValue {
  return {
    key: kv.key.toString(),
    value: kv.value,
    createRevision: BigInt(kv.create_revision),
    modRevision: BigInt(kv.mod_revision),
    lease: BigInt(kv.lease),
  };
}

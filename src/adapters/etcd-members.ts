import { EtcdcidrError } from "../errors.js";
import type { EtcdMembers, MembershipAnswer } from "../ports.js";
import type { ListedMember, MemberAlarm, MemberList, MemberStatus } from "../reconcile/cluster-state.js";
import type { EtcdTarget } from "./etcd.js";
import { type EtcdCall, explainEtcdError } from "./etcd-error.js";
import { type EtcdRpc, openEtcdRpc } from "./etcd-rpc.js";

/** The members as one endpoint knows them. Nothing is sent before the first call. Throws `tls`. */
export function openEtcdMembers(target: EtcdTarget): EtcdMembers {
  const rpc = openEtcdRpc(target);
  const explained = async <T>(about: EtcdCall, send: () => Promise<T>): Promise<T> => {
    try {
      return await send();
    } catch (error) {
      throw explainEtcdError(error, about, target, Date.now());
    }
  };
  const change = (method: string, request: object): Promise<MembershipAnswer> =>
    changeMembers(() =>
      explained({ kind: "other", omission: `did not do ${method}` }, () =>
        rpc.call(`Cluster/${method}`, request, CHANGE_TIMEOUT_MS),
      ),
    );
  return {
    endpoint: target.endpoint,
    status: () => explained({ kind: "status" }, () => status(rpc, target)),
    list: (read) =>
      explained({ kind: "members" }, async () => {
        if (read === "linearizable") await readThroughQuorum(rpc, target);
        return list(rpc, read, target);
      }),
    alarms: () =>
      explained({ kind: "other", omission: "did not tell its alarms" }, () => alarms(rpc, target)),
    add: (peerUrl) => change("MemberAdd", { peerURLs: [peerUrl], isLearner: true }),
    remove: (id) => change("MemberRemove", { ID: id.toString() }),
    promote: (id) => change("MemberPromote", { ID: id.toString() }),
    hashKv: (revision) =>
      explained({ kind: "other", omission: "did not tell its HashKV" }, () => hashKv(rpc, revision, target)),
    close: () => rpc.close(),
  };
}

interface Header {
  readonly cluster_id: string;
  readonly member_id: string;
  readonly revision: string;
}

interface StatusReply {
  readonly header: Header;
  readonly version: string;
  readonly dbSize: string;
  readonly leader: string;
  readonly raftTerm: string;
  readonly raftAppliedIndex: string;
  readonly errors: readonly string[];
  readonly isLearner: boolean;
  readonly dbSizeQuota: string;
}

async function status(rpc: EtcdRpc, { dialTimeoutMs }: EtcdTarget): Promise<MemberStatus> {
  const reply = await rpc.call<StatusReply>("Maintenance/Status", {}, dialTimeoutMs);
  return {
    clusterId: BigInt(reply.header.cluster_id),
    memberId: BigInt(reply.header.member_id),
    version: reply.version,
    revision: BigInt(reply.header.revision),
    leader: BigInt(reply.leader),
    isLearner: reply.isLearner,
    raftTerm: BigInt(reply.raftTerm),
    appliedIndex: BigInt(reply.raftAppliedIndex),
    dbSize: BigInt(reply.dbSize),
    ...(reply.dbSizeQuota === "0" ? {} : { dbSizeQuota: BigInt(reply.dbSizeQuota) }),
    errors: reply.errors,
  };
}

/** etcd looks at a user's permission only after the quorum has confirmed the read (etcdserver/v3_server.go, Range). */
async function readThroughQuorum(rpc: EtcdRpc, { commandTimeoutMs }: EtcdTarget): Promise<void> {
  try {
    await rpc.call("KV/Range", { key: Buffer.from([0]), limit: 1, keys_only: true }, commandTimeoutMs);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes("etcdserver: permission denied")) throw error;
  }
}

interface MemberReply {
  readonly ID: string;
  readonly name: string;
  readonly peerURLs: readonly string[];
  readonly clientURLs: readonly string[];
  readonly isLearner: boolean;
}

async function list(
  rpc: EtcdRpc,
  read: MemberList["read"],
  { commandTimeoutMs }: EtcdTarget,
): Promise<MemberList> {
  const request = { linearizable: read === "linearizable" };
  const reply = await rpc.call<{ header: Header; members: MemberReply[] }>(
    "Cluster/MemberList",
    request,
    commandTimeoutMs,
  );
  return { clusterId: BigInt(reply.header.cluster_id), read, members: reply.members.map(listedMember) };
}

function listedMember({ ID, name, peerURLs, clientURLs, isLearner }: MemberReply): ListedMember {
  return { id: BigInt(ID), name, peerUrls: peerURLs, clientUrls: clientURLs, isLearner };
}

/** etcd itself gives up after 7 s with its default election timeout (etcdserver/config.go, ReqTimeout), or never. */
const CHANGE_TIMEOUT_MS = 10_000;

/** Who may not, or does not reach etcd at all, is told so; the rest the list shows. */
async function changeMembers(send: () => Promise<unknown>): Promise<MembershipAnswer> {
  try {
    await send();
    return { kind: "done" };
  } catch (error) {
    if (!(error instanceof EtcdcidrError) || error.code !== "unreachable") throw error;
    return { kind: "not-done", why: error.explanation.why };
  }
}

async function hashKv(
  rpc: EtcdRpc,
  revision: bigint,
  { commandTimeoutMs }: EtcdTarget,
): Promise<number | undefined> {
  try {
    const request = { revision: revision.toString() };
    const { hash } = await rpc.call<{ hash: number }>("Maintenance/HashKV", request, commandTimeoutMs);
    return hash;
  } catch (error) {
    if (error instanceof Error && error.message.includes("revision has been compacted")) return undefined;
    throw error;
  }
}

async function alarms(rpc: EtcdRpc, { commandTimeoutMs }: EtcdTarget): Promise<readonly MemberAlarm[]> {
  const reply = await rpc.call<{ alarms: { memberID: string; alarm: string }[] }>(
    "Maintenance/Alarm",
    { action: "GET" },
    commandTimeoutMs,
  );
  return reply.alarms.map(({ memberID, alarm }) => ({ memberId: BigInt(memberID), alarm }));
}

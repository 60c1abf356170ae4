import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { runCli } from "../harness/cli.js";
import { openClient } from "../harness/etcd.js";
import { type EtcdCluster, startEtcdCluster } from "../harness/etcd-cluster.js";
import { temporaryFolder } from "../harness/folder.js";
import type { StaticEtcd } from "../harness/kubelet.js";
import type { ReturningMember } from "../harness/returning-member.js";

/** What `members` says of the cluster afterwards. */
export async function health(
  { endpoints }: Pick<ReturningMember, "endpoints">,
  ...more: readonly string[]
): Promise<{ readonly healthy: boolean; readonly voters: readonly string[] }> {
  const { out } = await runCli(["members", "--endpoints", endpoints.join(","), "-o", "json", ...more]);
  const { healthy, members } = JSON.parse(out);
  return { healthy, voters: members.map(({ name, role }: Record<string, string>) => `${name} ${role}`) };
}

export interface HostSetUpAgain {
  readonly cluster: EtcdCluster;
  /** What etcd here is set up as: a first member. */
  readonly etcd: StaticEtcd;
  /** Of the others. */
  readonly endpoints: readonly string[];
  /** `member-readd` as it needs to be called besides what starts etcd. */
  readonly readdArgs: readonly string[];
}

/** The last of three members is lost with its data, and its host is set up again. */
export async function hostSetUpAgain(tls: readonly string[] = []): Promise<HostSetUpAgain> {
  const cluster = await startEtcdCluster(3, tls);
  onTestFinished(() => cluster.stop());
  const peerUrl = cluster.peerUrls[2] ?? "";
  cluster.members[2]?.kill("SIGKILL");
  const folder = temporaryFolder();
  const dataDir = join(folder, "data");
  mkdirSync(dataDir, { mode: 0o700 });
  const endpoints = cluster.endpoints.slice(0, 2);
  return {
    ...{ cluster, endpoints },
    etcd: {
      ...{ name: "m2", peerUrl, clientUrl: cluster.endpoints[2] ?? "", dataDir },
      initialCluster: `m2=${peerUrl}`,
      flags: tls,
    },
    readdArgs: [
      ...["member-readd", "--endpoints", endpoints.join(",")],
      ...["--journal-dir", join(folder, "journals"), "--promote-timeout", "90s"],
    ],
  };
}

/** etcd of this host has started a cluster of its own. */
export async function startedAlone({ log }: { log(): string }): Promise<void> {
  await vi.waitUntil(() => log().includes("ready to serve client requests"), {
    timeout: 60_000,
    interval: 50,
  });
}

/** Writes one key after the other until it is stopped; returns how many were answered. */
export function writeOn(endpoint: string): () => Promise<number> {
  const client = openClient(endpoint);
  let goesOn = true;
  const writing = (async () => {
    let written = 0;
    for (; goesOn; written++)
      // One that was under way when the leader died is sent again.
      await vi.waitFor(
        () => client.kv.put({ key: Buffer.from(`/written/${written}`), value: Buffer.from("x") }),
        { timeout: 60_000 },
      );
    return written;
  })();
  return async () => {
    goesOn = false;
    const written = await writing;
    client.close();
    return written;
  };
}

export async function countWritten(endpoint: string): Promise<number> {
  const client = openClient(endpoint);
  const range = { key: Buffer.from("/written/"), range_end: Buffer.from("/written0"), count_only: true };
  const { count } = await client.kv.range(range);
  client.close();
  return Number(count);
}

export async function memberAdd(member: ReturningMember): Promise<void> {
  const client = openClient(member.endpoints[0] ?? "");
  // Within 5 s after its start etcd takes nobody for connected.
  await vi.waitFor(() => client.cluster.memberAdd({ peerURLs: [member.peerUrl], isLearner: true }), {
    timeout: 60_000,
    interval: 250,
  });
  client.close();
}

export async function memberRemove({ endpoints, peerUrl }: ReturningMember): Promise<void> {
  const client = openClient(endpoints[0] ?? "");
  const { members } = await client.cluster.memberList({});
  const own = members.find(({ peerURLs }) => peerURLs.includes(peerUrl));
  await vi.waitFor(() => client.cluster.memberRemove({ ID: own?.ID ?? "" }), {
    timeout: 60_000,
    interval: 250,
  });
  client.close();
}

export const FOUR_LINES: RegExp =
  /^ETCD_NAME="m2"\nETCD_INITIAL_CLUSTER="m0=\S+,m1=\S+,m2=\S+"\nETCD_INITIAL_ADVERTISE_PEER_URLS="\S+"\nETCD_INITIAL_CLUSTER_STATE="existing"\n$/;

/** It joins anew, under a new id, and its old data come back: what is listed and what lies there differ. */
export async function startAndLose(member: ReturningMember): Promise<void> {
  const old = `${member.dataDir}-old`;
  renameSync(member.dataDir, old);
  await memberAdd(member);
  const client = openClient(member.endpoints[0] ?? "");
  const { members } = await client.cluster.memberList({});
  client.close();
  const initial = members.flatMap(({ name, peerURLs }) =>
    peerURLs.map((url) => `${name || member.name}=${url}`),
  );
  const lines = [`ETCD_INITIAL_CLUSTER="${initial.join(",")}"`, 'ETCD_INITIAL_CLUSTER_STATE="existing"'];
  const server = await member.startWith(
    `${lines.join("\n")}\nETCD_INITIAL_ADVERTISE_PEER_URLS="${member.peerUrl}"`,
  );
  await vi.waitUntil(async () => (await health(member)).voters.includes("m2 learner"), { timeout: 60_000 });
  await server.stop();
  rmSync(member.dataDir, { recursive: true });
  renameSync(old, member.dataDir);
}

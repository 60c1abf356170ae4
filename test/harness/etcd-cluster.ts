import { once } from "node:events";
import { createServer } from "node:net";
import { type EtcdServer, openClient, startEtcd } from "./etcd.js";

/** A throw-away etcd of several members on loopback. */
export interface EtcdCluster {
  readonly members: readonly EtcdServer[];
  /** The members' client URLs, in their order. */
  readonly endpoints: readonly string[];
  readonly peerUrls: readonly string[];
  /** The member that leads now. */
  leader(): Promise<EtcdServer>;
  /** Adds one that does not vote; it ends with the cluster. */
  addLearner(): Promise<EtcdServer>;
  /** Ends all members, frozen or not, and removes their data. */
  stop(): Promise<void>;
}

/** Starts `size` voters at the same time and returns when all are healthy; with `tls`, flags for both ports, over TLS. */
export async function startEtcdCluster(size: number, tls: readonly string[] = []): Promise<EtcdCluster> {
  const scheme = tls.length > 0 ? "https" : "http";
  const peers = (await freePeerUrls(size)).map((url, i) => ({
    name: `m${i}`,
    url: url.replace("http:", `${scheme}:`),
  }));
  const initial = peers.map(({ name, url }) => `${name}=${url}`).join(",");
  const members = await Promise.all(
    peers.map(({ name, url }) => startEtcd({ flags: [...memberFlags(name, url, initial, "new"), ...tls] })),
  );
  const learners: EtcdServer[] = [];
  return {
    members,
    endpoints: members.map(({ clientUrl }) => clientUrl),
    peerUrls: peers.map(({ url }) => url),
    leader: () => leaderOf(members),
    addLearner: async () => {
      const learner = await startLearner(await leaderOf(members), initial);
      learners.push(learner);
      return learner;
    },
    stop: async () => {
      await Promise.all([...members, ...learners].map((member) => member.stop()));
    },
  };
}

async function startLearner({ clientUrl }: EtcdServer, initial: string): Promise<EtcdServer> {
  const [url = ""] = await freePeerUrls(1);
  const client = openClient(clientUrl);
  await client.cluster.memberAdd({ peerURLs: [url], isLearner: true });
  client.close();
  return startEtcd({ flags: memberFlags("learner", url, `${initial},learner=${url}`, "existing") });
}

/** These come after the harness' own flags of a single member, and the last one counts. */
function memberFlags(name: string, url: string, initial: string, state: "new" | "existing"): string[] {
  return [
    `--name=${name}`,
    `--listen-peer-urls=${url}`,
    `--initial-advertise-peer-urls=${url}`,
    `--initial-cluster=${initial}`,
    `--initial-cluster-state=${state}`,
  ];
}

async function leaderOf(members: readonly EtcdServer[]): Promise<EtcdServer> {
  for (const member of members) {
    const client = openClient(member.clientUrl);
    const { header, leader } = await client.maintenance.status();
    client.close();
    if (header.member_id === leader) return member;
  }
  throw new Error("no member leads");
}

async function freePeerUrls(size: number): Promise<string[]> {
  const listeners = Array.from({ length: size }, () => createServer());
  await Promise.all(listeners.map((each) => once(each.listen(0, "127.0.0.1"), "listening")));
  const urls = listeners.map((each) => `http://127.0.0.1:${Object(each.address()).port}`);
  await Promise.all(listeners.map((each) => once(each.close(), "close")));
  return urls;
}

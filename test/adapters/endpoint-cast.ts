import { type EtcdServer, openClient, startEtcd } from "../harness/etcd.js";
import { startEtcdCluster } from "../harness/etcd-cluster.js";
import { freeze } from "../harness/freeze.js";
import { layCable } from "./etcd-cable.js";
import { type Certificates, certificates } from "./tls-certificates.js";

/** Endpoints in every state, by the name they go by in transcripts. */
export interface EndpointCast {
  readonly certificates: Certificates;
  /** `127.0.0.1:PORT` */
  place(name: string): string;
  /** A text with every port, folder, id and date replaced by what it stands for. */
  normalise(text: string): string;
  stop(): Promise<void>;
}

export async function startEndpointCast(): Promise<EndpointCast> {
  const made = makeCertificates();
  const stops: (() => unknown)[] = [];
  const own = <T extends { stop(): unknown }>(each: T): T => {
    stops.push(() => each.stop());
    return each;
  };
  const [main, events, empty, frozen, auth, tls, expired, elsewhere] = await Promise.all([
    startEtcdCluster(1),
    startEtcd(),
    startEtcd(),
    startEtcd(),
    startEtcd(),
    startEtcd({ flags: tlsFlags(made, "server") }),
    startEtcd({ flags: tlsFlags(made, "server-expired") }),
    startEtcd({ flags: tlsFlags(made, "server-elsewhere") }),
  ]);
  for (const each of [main, events, empty, frozen, auth, tls, expired, elsewhere]) own(each);
  const learner = await main.addLearner();
  await main.members[0]?.put("/registry/namespaces/kube-system", "a namespace");
  await events.put("/registry/events/default/a", "an event");
  await freeze(frozen);
  await switchAuthOn(auth);
  const talkative = await answeringPeerPort(own);
  const places = new Map(
    Object.entries({
      DEAD: "127.0.0.1:1",
      MAIN: hostOf(main.endpoints[0]),
      LEARNER: learner.endpoint,
      PEER: hostOf(main.peerUrls[0]),
      ANSWERING_PEER: talkative.peer,
      ANSWERING: talkative.client,
      EVENTS: events.endpoint,
      EMPTY: empty.endpoint,
      FROZEN: frozen.endpoint,
      AUTH: auth.endpoint,
      TLS: tls.endpoint,
      EXPIRED: expired.endpoint,
      ELSEWHERE: elsewhere.endpoint,
    }),
  );
  return {
    certificates: made,
    place: (name) => places.get(name) ?? "",
    normalise: (text) => normalise(text, places, made.folder),
    stop: async () => {
      await Promise.all(stops.map((stop) => stop()));
      made.remove();
    },
  };
}

function makeCertificates(): Certificates {
  const made = certificates();
  made.ca("ca");
  made.ca("other-ca");
  made.sign("server", "ca");
  made.sign("server-expired", "ca", { days: -1 });
  made.sign("server-elsewhere", "ca", { subjectAltName: "DNS:etcd.example" });
  made.sign("client", "ca", { extendedKeyUsage: "clientAuth" });
  made.sign("client-expired", "ca", { extendedKeyUsage: "clientAuth", days: -1 });
  made.sign("client-foreign", "other-ca", { extendedKeyUsage: "clientAuth" });
  return made;
}

function tlsFlags({ folder }: Certificates, name: string): string[] {
  return [
    `--cert-file=${folder}/${name}.crt`,
    `--key-file=${folder}/${name}.key`,
    "--client-cert-auth",
    `--trusted-ca-file=${folder}/ca.crt`,
  ];
}

async function switchAuthOn({ endpoint }: EtcdServer): Promise<void> {
  const admin = openClient(endpoint);
  await admin.auth.userAdd({ name: "root", password: "secret" });
  await admin.auth.userGrantRole({ user: "root", role: "root" });
  await admin.auth.userAdd({ name: "nobody", password: "secret" });
  await admin.auth.authEnable();
  admin.close();
}

/** A peer port that serves the whole API, as etcd 3.4's does: one that leads to the client port. */
async function answeringPeerPort(own: <T extends { stop(): unknown }>(each: T) => T) {
  const server = own(await startEtcd());
  const cable = await layCable(server.clientUrl);
  own({ stop: () => cable.close() });
  const client = openClient(server.endpoint);
  const { members } = await client.cluster.memberList({});
  await client.cluster.memberUpdate({ ID: members[0]?.ID ?? "", peerURLs: [cable.endpoint] });
  client.close();
  return { peer: hostOf(cable.endpoint), client: server.endpoint };
}

function hostOf(url = ""): string {
  return new URL(url).host;
}

function normalise(text: string, places: ReadonlyMap<string, string>, folder: string): string {
  let normal = text.replaceAll(folder, "pki");
  for (const [name, place] of places) {
    normal = normal.replaceAll(new RegExp(`${place.replaceAll(".", "\\.")}\\b`, "g"), `127.0.0.1:${name}`);
  }
  return normal
    .replaceAll(/ has [0-9a-f]+ \(/g, " has ID (")
    .replaceAll(/[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4} GMT/g, "DATE");
}

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { type ConnectionFlags, discoverEtcd } from "../../src/adapters/discovery.js";
import { connectEtcd } from "../../src/adapters/endpoint.js";
import { renderError } from "../../src/cli/render-error.js";
import { EtcdcidrError } from "../../src/errors.js";
import { type EndpointCast, startEndpointCast } from "./endpoint-cast.js";
import { hasOpenssl } from "./tls-certificates.js";

/** What the operator gives, with names of the cast for ports, and names of certificates for files. */
interface Situation {
  readonly title: string;
  readonly flags: ConnectionFlags;
  readonly environment?: Readonly<Record<string, string>>;
}

const folder = fileURLToPath(new URL("../transcripts/endpoints/", import.meta.url));

const CLIENT = { cacert: "ca.crt", cert: "client.crt", key: "client.key" };

const SITUATIONS: Readonly<Record<string, Situation>> = {
  "all-well": { title: "one endpoint, which serves", flags: { endpoints: "MAIN" } },
  dead: { title: "a dead endpoint before one that serves", flags: { endpoints: "DEAD,MAIN" } },
  "dead-alone": { title: "nothing listens at the only endpoint", flags: { endpoints: "DEAD" } },
  frozen: {
    title: "a frozen endpoint before one that serves",
    flags: { endpoints: "FROZEN,MAIN", dialTimeout: "1s" },
  },
  "frozen-alone": { title: "the only endpoint is frozen", flags: { endpoints: "FROZEN", dialTimeout: "1s" } },
  "frozen-with-password": {
    title: "a frozen endpoint and a user: asking for the token takes no longer than the dial timeout",
    flags: { endpoints: "FROZEN,AUTH", dialTimeout: "1s", user: "root:secret" },
  },
  learner: { title: "a learner before the member that votes", flags: { endpoints: "LEARNER,MAIN" } },
  "learner-alone": { title: "the only endpoint is a learner", flags: { endpoints: "LEARNER" } },
  "peer-port": {
    title: "the peer port, as of etcd 3.6, which serves no gRPC",
    flags: { endpoints: "PEER,MAIN" },
  },
  "peer-port-alone": { title: "that peer port and nothing else", flags: { endpoints: "PEER" } },
  "answering-peer-port": {
    title: "the peer port, as of etcd 3.4, which serves all of the API and asks for no client certificate",
    flags: { endpoints: "ANSWERING_PEER,ANSWERING" },
  },
  "answering-peer-port-alone": {
    title: "that peer port and nothing else",
    flags: { endpoints: "ANSWERING_PEER" },
  },
  "all-bad": {
    title: "dead, frozen, a learner: none can be used",
    flags: { endpoints: "DEAD,FROZEN,LEARNER", dialTimeout: "1s" },
  },
  "other-cluster": {
    title: "two etcds of which one has nothing to do with Kubernetes",
    flags: { endpoints: "MAIN,EMPTY" },
  },
  "events-etcd": {
    title: "the etcd that kube-apiserver keeps events in, beside the main one",
    flags: { endpoints: "EVENTS,MAIN" },
  },
  "tls-all-well": { title: "TLS with a client certificate", flags: { endpoints: "TLS", ...CLIENT } },
  "tls-server-expired": {
    title: "the server's certificate has expired",
    flags: { endpoints: "EXPIRED", ...CLIENT },
  },
  "tls-server-elsewhere": {
    title: "the server's certificate is for another host",
    flags: { endpoints: "ELSEWHERE", ...CLIENT },
  },
  "tls-wrong-ca": {
    title: "--cacert names another CA than the one that signed the server's certificate",
    flags: { endpoints: "TLS", ...CLIENT, cacert: "other-ca.crt" },
  },
  "tls-no-ca": { title: "https and no --cacert", flags: { endpoints: "https://TLS" } },
  "tls-no-client-certificate": {
    title: "etcd asks for a client certificate and none is given",
    flags: { endpoints: "TLS", cacert: "ca.crt" },
  },
  "tls-client-expired": {
    title: "the client certificate has expired",
    flags: { endpoints: "TLS", cacert: "ca.crt", cert: "client-expired.crt", key: "client-expired.key" },
  },
  "tls-client-foreign": {
    title: "the client certificate is of another CA",
    flags: { endpoints: "TLS", cacert: "ca.crt", cert: "client-foreign.crt", key: "client-foreign.key" },
  },
  "tls-key-mismatch": {
    title: "--key is not the key of --cert",
    flags: { endpoints: "TLS", ...CLIENT, key: "server.key" },
  },
  "tls-no-key": {
    title: "--cert without --key",
    flags: { endpoints: "TLS", cacert: "ca.crt", cert: "client.crt" },
  },
  "tls-not-a-certificate": {
    title: "--cert names a key",
    flags: { endpoints: "TLS", ...CLIENT, cert: "client.key" },
  },
  "tls-no-such-file": {
    title: "--cacert names no file",
    flags: { endpoints: "TLS", ...CLIENT, cacert: "nowhere.crt" },
  },
  "plain-to-tls": { title: "http to an etcd with TLS", flags: { endpoints: "http://TLS" } },
  "tls-to-plain": { title: "https to an etcd without TLS", flags: { endpoints: "https://MAIN" } },
  "no-user": { title: "etcd asks for a user and none is given", flags: { endpoints: "AUTH" } },
  "wrong-password": { title: "the password is wrong", flags: { endpoints: "AUTH", user: "root:guess" } },
  "no-permission": {
    title: "the user has no role that may read the keys",
    flags: { endpoints: "AUTH", user: "nobody:secret" },
  },
  "right-password": { title: "the password is right", flags: { endpoints: "AUTH", user: "root:secret" } },
  "no-password": { title: "a user without a password", flags: { endpoints: "AUTH", user: "root" } },
  proxy: {
    title: "proxy variables, of a proxy that is not there, change nothing",
    flags: { endpoints: "TLS", ...CLIENT },
    environment: { https_proxy: "http://127.0.0.1:1", http_proxy: "http://127.0.0.1:1", no_proxy: "" },
  },
};

describe.skipIf(!hasOpenssl)("endpoints and TLS (needs openssl)", () => {
  let cast: EndpointCast;
  beforeAll(async () => {
    cast = await startEndpointCast();
  });
  afterAll(() => cast.stop());
  afterEach(() => vi.unstubAllEnvs());

  test.each(Object.entries(SITUATIONS))("%s", async (name, situation) => {
    for (const [variable, value] of Object.entries(situation.environment ?? {})) vi.stubEnv(variable, value);
    const lines = [situation.title, "", commandLine(situation), await connecting(cast, situation.flags)];
    const file = `${folder}${name}.txt`;
    rewriteWhenAsked(file, lines.join("\n"));
    expect(lines.join("\n")).toBe(readFileSync(file, "utf8"));
  });
});

function commandLine({ flags, environment = {} }: Situation): string {
  const variables = Object.entries(environment).map(([variable, value]) => `${variable}=${value} `);
  const words = Object.entries(flags).map(
    ([flag, value]) => ` --${flag.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`)} ${value}`,
  );
  return `$ ${variables.join("")}etcdcidr${words.join("")}`;
}

/** As the command line does it before anything else: finds the endpoints, connects, says what is wrong. */
async function connecting(cast: EndpointCast, flags: ConnectionFlags): Promise<string> {
  try {
    const found = discoverEtcd(real(cast, flags), {}, "/nowhere");
    const { etcd, warnings } = await connectEtcd(found.targets);
    etcd.close();
    const said = warnings.map(({ endpoint, why }) => `warning: ${endpoint} is not used: ${why}\n`);
    return cast.normalise(`${said.join("")}etcd at ${etcd.endpoint} (${found.source})\n`);
  } catch (error) {
    return cast.normalise(error instanceof EtcdcidrError ? renderError(error) : String(error));
  }
}

function real(cast: EndpointCast, flags: ConnectionFlags): ConnectionFlags {
  const file = (name: string | undefined) =>
    name === undefined ? undefined : `${cast.certificates.folder}/${name}`;
  const endpoints = flags.endpoints?.replaceAll(/[A-Z_]+/g, (name) => cast.place(name));
  const files = { cacert: file(flags.cacert), cert: file(flags.cert), key: file(flags.key) };
  return { ...flags, endpoints, ...files, dialTimeout: flags.dialTimeout ?? "20s", commandTimeout: "300s" };
}

function rewriteWhenAsked(file: string, text: string): void {
  for (const path of process.env["UPDATE_TRANSCRIPTS"] === "1" ? [file] : []) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, text);
  }
}

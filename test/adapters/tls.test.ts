import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openEtcd } from "../../src/adapters/etcd.js";
import { checkTlsFiles, type TlsFiles } from "../../src/adapters/tls.js";
import { EtcdcidrError, type Explanation } from "../../src/errors.js";
import { type EtcdServer, startEtcd } from "../harness/etcd.js";
import { failureIn, failureOf } from "./etcd-failure.js";
import { type Certificates, certificates, hasOpenssl } from "./tls-certificates.js";

const TIMEOUTS = { dialTimeoutMs: 5000, commandTimeoutMs: 5000 };

describe.skipIf(!hasOpenssl)("TLS (needs openssl)", () => {
  let made: Certificates;
  const servers = new Map<string, EtcdServer>();

  beforeAll(async () => {
    made = certificates();
    made.ca("ca");
    made.ca("other-ca");
    made.sign("server", "ca");
    made.sign("server-expired", "ca", { days: -1 });
    made.sign("server-elsewhere", "ca", { subjectAltName: "DNS:etcd.example" });
    made.sign("client", "ca", { extendedKeyUsage: "clientAuth" });
    made.sign("client-expired", "ca", { extendedKeyUsage: "clientAuth", days: -1 });
    made.sign("client-foreign", "other-ca", { extendedKeyUsage: "clientAuth" });
    made.sign("client-not", "ca", { extendedKeyUsage: "serverAuth" });
    const at = (name: string) => join(made.folder, name);
    const names = ["server", "server-expired", "server-elsewhere"];
    const started = await Promise.all(
      names.map((name) =>
        startEtcd({
          flags: [
            `--cert-file=${at(name)}.crt`,
            `--key-file=${at(name)}.key`,
            "--client-cert-auth",
            `--trusted-ca-file=${at("ca.crt")}`,
          ],
        }),
      ),
    );
    started.forEach((server, i) => {
      servers.set(names[i] ?? "", server);
    });
  });
  afterAll(async () => {
    await Promise.all([...servers.values()].map((server) => server.stop()));
    made.remove();
  });

  const urlOf = (name: string): string => servers.get(name)?.clientUrl ?? "";
  const files = (ca: string, client?: string): TlsFiles => ({
    ca: made.file(`${ca}.crt`),
    ...(client === undefined ? {} : { cert: made.file(`${client}.crt`), key: made.file(`${client}.key`) }),
  });
  const statusOf = async (endpoint: string, tls?: TlsFiles) => {
    const etcd = openEtcd({ endpoint, ...(tls === undefined ? {} : { tls }), ...TIMEOUTS });
    try {
      return await etcd.status();
    } finally {
      etcd.close();
    }
  };
  const told = async (endpoint: string, tls?: TlsFiles) => {
    const error = await failureOf(statusOf(endpoint, tls));
    expect(error).toBeInstanceOf(EtcdcidrError);
    return error;
  };
  const TRUSTED = "give a client certificate signed by the CA that etcd trusts (its --trusted-ca-file)";

  test("the right files connect, without a warning about the server's name", async () => {
    const warn = vi.spyOn(process.stderr, "write");
    expect(await statusOf(urlOf("server"), files("ca", "client"))).toMatchObject({ isLearner: false });
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });

  test.each([
    {
      fault: "no client certificate",
      client: undefined,
      why: "the server asks for a client certificate and none is given",
      next: "give --cert and --key (kubeadm: /etc/kubernetes/pki/apiserver-etcd-client.crt and .key)",
    },
    {
      fault: "an expired client certificate",
      client: "client-expired",
      why: "the server refuses the client certificate FOLDER/client-expired.crt: it has expired (DATE)",
      next: "renew the client certificate (kubeadm certs renew apiserver-etcd-client)",
    },
    {
      fault: "a client certificate of another CA",
      client: "client-foreign",
      why: "the server refuses the client certificate FOLDER/client-foreign.crt: it is not signed by the CA in FOLDER/ca.crt but by O=etcdcidr, CN=other-ca",
      next: TRUSTED,
    },
    {
      fault: "a certificate that is not for clients",
      client: "client-not",
      why: "the server refuses the client certificate FOLDER/client-not.crt: it is not made for clients (no clientAuth in its extended key usage)",
      next: "give a client certificate with --cert and --key",
    },
  ])("$fault is told by looking at the certificate", async ({ client, why, next }) => {
    const error = await told(urlOf("server"), files("ca", client));
    expect(plain(error)).toEqual({
      code: "tls",
      what: `no TLS connection to etcd at ${urlOf("server")}`,
      why,
      now: "nothing was written by this call",
      next,
    });
  });

  test.each([
    {
      fault: "a server of another CA",
      server: "server",
      ca: "other-ca",
      why: "the server's certificate is not signed by the CA in FOLDER/other-ca.crt",
      next: "give the CA of etcd's server certificate with --cacert (kubeadm: /etc/kubernetes/pki/etcd/ca.crt)",
    },
    {
      fault: "an expired server certificate",
      server: "server-expired",
      ca: "ca",
      why: "the server's certificate has expired",
      next: "renew etcd's server certificate (kubeadm certs renew etcd-server) and restart etcd",
    },
    {
      fault: "a server certificate for another name",
      server: "server-elsewhere",
      ca: "ca",
      why: "the server's certificate is for another host name or address",
      next: "use an endpoint that the certificate names",
    },
  ])("$fault is named", async ({ server, ca, why, next }) => {
    const error = await told(urlOf(server), files(ca, "client"));
    expect(plain(error)).toEqual({
      code: "tls",
      what: `no TLS connection to etcd at ${urlOf(server)}`,
      why,
      now: "nothing was written by this call",
      next,
    });
  });

  test("without --cacert the system's certificates are what counts", async () => {
    const error = await told(urlOf("server"));
    expect(plain(error).why).toBe(
      "the server's certificate is signed by a CA that this system does not trust, and no --cacert is given",
    );
  });

  test("http:// to a TLS port", async () => {
    const endpoint = urlOf("server").replace("https:", "http:");
    expect(plain(await told(endpoint))).toEqual({
      code: "unreachable",
      what: `etcd at ${endpoint} cannot be reached`,
      why: "what listens there does not speak plain http/2, so it probably asks for TLS",
      now: "nothing was written by this call",
      next: "use https:// with --cacert, --cert and --key",
    });
  });

  test("a Txn that the handshake stopped is known not to be written", async () => {
    const etcd = openEtcd({ endpoint: urlOf("server"), tls: files("ca", "client-expired"), ...TIMEOUTS });
    const operations = [{ action: "create", key: "/a", value: Buffer.from("1") }] as const;
    const error = await failureOf(etcd.txn({ operations, preconditions: [] }));
    etcd.close();
    expect(plain(error)).toMatchObject({
      code: "tls",
      what: `a Txn of 1 key could not be sent to etcd at ${urlOf("server")}`,
      now: "none of its changes is in etcd",
    });
  });

  test.each([
    [
      "key of another certificate",
      "client.crt",
      "client-not.key",
      "FOLDER/client-not.key is not the key of FOLDER/client.crt",
    ],
    ["key that is none", "client.crt", "ca.crt", "FOLDER/ca.crt cannot be read as a private key"],
    [
      "certificate that is none",
      "client.key",
      "client.key",
      "FOLDER/client.key cannot be read as a certificate",
    ],
  ])("a %s is refused before connecting", (_fault, cert, key, what) => {
    const tls = { cert: made.file(cert), key: made.file(key) };
    const open = () => openEtcd({ endpoint: urlOf("server"), tls, ...TIMEOUTS });
    expect(plain(failureIn(open))).toMatchObject({ code: "tls", what, now: "nothing was written" });
  });

  test("an encrypted key, a damaged certificate and half a pair are refused before connecting", () => {
    const [cert, key] = [made.file("client.crt"), made.file("client.key")];
    const encrypted = { path: "sealed.key", pem: Buffer.from("-----BEGIN ENCRYPTED PRIVATE KEY-----\n") };
    expect(plain(failureIn(() => checkTlsFiles({ cert, key: encrypted })))).toMatchObject({
      what: "sealed.key cannot be read as a private key",
      why: "it is encrypted",
    });
    const cut = Buffer.from(cert.pem.toString().replace(/\n[^-]+\n/, "\nAAAA\n"));
    expect(plain(failureIn(() => checkTlsFiles({ ca: { path: "cut.crt", pem: cut } })))).toMatchObject({
      what: "cut.crt cannot be read as a certificate",
      why: "a certificate in it is damaged",
    });
    expect(plain(failureIn(() => checkTlsFiles({ cert }))).what).toBe("--cert is given without --key");
    expect(plain(failureIn(() => checkTlsFiles({ key }))).what).toBe("--key is given without --cert");
  });

  function plain(error: unknown): { code: string } & Explanation {
    const { code, explanation } = error as EtcdcidrError;
    const text = JSON.stringify({ code, ...explanation });
    return JSON.parse(text.replaceAll(made.folder, "FOLDER").replace(/expired \([^)]*\)/, "expired (DATE)"));
  }
});

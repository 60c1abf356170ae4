import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { CertificateFiles } from "../../src/adapters/etcd-configuration.js";
import { peerFault } from "../../src/adapters/peer-fault.js";
import { startEtcdCluster } from "../harness/etcd-cluster.js";
import { certificates, hasOpenssl } from "./tls-certificates.js";

test("a peer port in plain HTTP answers, and a client port is none", async () => {
  const cluster = await startEtcdCluster(1);
  onTestFinished(() => cluster.stop());
  expect(await peerFault(cluster.peerUrls[0] ?? "", undefined)).toBeUndefined();
  expect(await peerFault(cluster.endpoints[0] ?? "", undefined)).toBe("GET /members is answered with 404");
});

test("a port that nobody listens on does not answer", async () => {
  expect(await peerFault("http://127.0.0.1:1", undefined)).toBe("connect ECONNREFUSED 127.0.0.1:1");
  expect(await peerFault("https://127.0.0.1:1", undefined)).toBe("no connection");
});

describe.runIf(hasOpenssl)("over mutual TLS", () => {
  async function member(): Promise<{ peerUrl: string; filesOf(name: string): CertificateFiles }> {
    const made = certificates();
    onTestFinished(() => made.remove());
    for (const ca of ["ca", "other-ca"]) made.ca(ca);
    made.sign("member", "ca");
    made.sign("foreign", "other-ca");
    const path = (name: string): string => join(made.folder, name);
    const filesOf = (name: string): CertificateFiles => ({
      ...{ cert: path(`${name}.crt`), key: path(`${name}.key`) },
      ca: path("ca.crt"),
    });
    const cluster = await startEtcdCluster(1, [
      `--peer-cert-file=${path("member.crt")}`,
      `--peer-key-file=${path("member.key")}`,
      `--peer-trusted-ca-file=${path("ca.crt")}`,
      "--peer-client-cert-auth",
    ]);
    onTestFinished(() => cluster.stop());
    return { peerUrl: cluster.peerUrls[0] ?? "", filesOf };
  }

  test("the peer certificate is taken, and one of another CA is not", async () => {
    const { peerUrl, filesOf } = await member();
    expect(await peerFault(peerUrl, filesOf("member"))).toBeUndefined();
    expect(await peerFault(peerUrl, filesOf("foreign"))).toMatch(/alert (bad certificate|unknown ca)/);
    expect(await peerFault(peerUrl, undefined)).toBeUndefined();
    expect(await peerFault(peerUrl, { ...filesOf("member"), key: "/nonexistent" })).toContain("ENOENT");
  });
});

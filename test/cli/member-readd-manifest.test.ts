import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { certificates, hasOpenssl } from "../adapters/tls-certificates.js";
import { type CliRun, runCli } from "../harness/cli.js";
import { type EtcdCluster, startEtcdCluster } from "../harness/etcd-cluster.js";
import { temporaryFolder } from "../harness/folder.js";
import { type Kubelet, startKubelet } from "../harness/kubelet.js";
import { killWhen } from "../harness/process.js";
import { health } from "./readd-scene.js";

interface Host {
  readonly cluster: EtcdCluster;
  readonly endpoints: readonly string[];
  readonly kubelet: Kubelet;
  readonly dataDir: string;
  readonly readdArgs: readonly string[];
  readd(...more: readonly string[]): Promise<CliRun>;
}

/** The last of three members is lost with its data, and its host is set up again as kubeadm does a first one. */
async function hostSetUpAgain(tls: readonly string[] = []): Promise<Host> {
  const cluster = await startEtcdCluster(3, tls);
  onTestFinished(() => cluster.stop());
  const gone = cluster.members[2];
  const peerUrl = cluster.peerUrls[2] ?? "";
  gone?.kill("SIGKILL");
  const folder = temporaryFolder();
  const dataDir = join(folder, "data");
  mkdirSync(dataDir, { mode: 0o700 });
  const kubelet = startKubelet({
    ...{ name: "m2", peerUrl, clientUrl: cluster.endpoints[2] ?? "", dataDir },
    initialCluster: `m2=${peerUrl}`,
    flags: tls,
  });
  const endpoints = cluster.endpoints.slice(0, 2);
  const readdArgs = [
    ...["member-readd", "--manifest", kubelet.manifest, "--endpoints", endpoints.join(",")],
    ...["--journal-dir", join(folder, "journals"), "--promote-timeout", "90s"],
  ];
  return {
    ...{ cluster, endpoints, kubelet, dataDir, readdArgs },
    readd: (...more) => runCli([...readdArgs, "--yes", ...more]),
  };
}

/** etcd of this host has started a cluster of its own. */
async function startedAlone({ kubelet }: Host): Promise<void> {
  await vi.waitUntil(() => kubelet.log().includes("ready to serve client requests"), {
    timeout: 60_000,
    interval: 50,
  });
}

test("a host that has started a cluster of its own is brought back", async () => {
  const host = await hostSetUpAgain();
  await startedAlone(host);
  const refused = await host.readd();
  expect(refused.err).toContain("not brought back: foreign-data\n");
  expect(refused.exitCode).toBe(3);
  const { err, out, exitCode } = await host.readd("--accept", "foreign-data");
  expect(err).toContain("m2 is back as a voter; 3 voters hold the same keys");
  expect(exitCode).toBe(0);
  expect(out).toBe("");
  expect(await health(host)).toEqual({ healthy: true, voters: ["m0 voter", "m1 voter", "m2 voter"] });
  const text = readFileSync(host.kubelet.manifest, "utf8");
  expect(text).toMatch(/ {4}- --initial-cluster=m0=\S+,m1=\S+,m2=\S+\n/);
  expect(text).toContain("    - --name=m2\n    - --initial-cluster-state=existing\n");
  expect(readdirSync(dirname(host.kubelet.manifest))).toEqual(["etcd.yaml"]);
  expect(statSync(host.kubelet.manifest).mode & 0o777).toBe(0o644);
});

test("a run that is killed after every step is gone on with", async () => {
  const host = await hostSetUpAgain();
  await startedAlone(host);
  const until = (text: string) =>
    killWhen([...host.readdArgs, "--yes", "--no-snapshot", "--accept", "foreign-data"], text);
  for (const step of ["stop", "remove", "archive", "add", "start"])
    expect(await until(`${step}: done\n`)).toBe(true);
  const { exitCode } = await host.readd();
  expect(exitCode).toBe(0);
  expect((await health(host)).healthy).toBe(true);
  expect((await host.readd()).err).toContain("nothing to do: m2 is a voter and runs\n");
});

test("a dry run shows the lines of the manifest that would change, and changes nothing", async () => {
  const host = await hostSetUpAgain();
  await startedAlone(host);
  const before = readFileSync(host.kubelet.manifest, "utf8");
  const { out, exitCode } = await runCli([...host.readdArgs, "--accept", "foreign-data", "--dry-run"]);
  expect(exitCode).toBe(0);
  expect(out).toContain("state    S2 wrong process running\n");
  expect(out).toMatch(/\n- {4}- --initial-cluster=m2=\S+\n\+ {4}- --initial-cluster=m0=\S+,m1=\S+,m2=\S+\n/);
  expect(out).toContain("\n+    - --initial-cluster-state=existing\n");
  expect(readFileSync(host.kubelet.manifest, "utf8")).toBe(before);
});

test.runIf(hasOpenssl)("over mutual TLS", async () => {
  const made = certificates();
  onTestFinished(() => made.remove());
  made.ca("ca");
  made.sign("member", "ca");
  made.sign("client", "ca", { extendedKeyUsage: "clientAuth" });
  const path = (name: string): string => join(made.folder, name);
  const sides = ["", "peer-"].flatMap((side) => [
    `--${side}cert-file=${path("member.crt")}`,
    `--${side}key-file=${path("member.key")}`,
    `--${side}trusted-ca-file=${path("ca.crt")}`,
    `--${side}client-cert-auth`,
  ]);
  const client = ["--cacert", path("ca.crt"), "--cert", path("client.crt"), "--key", path("client.key")];
  const host = await hostSetUpAgain(sides);
  await startedAlone(host);
  const { err, exitCode } = await host.readd("--accept", "foreign-data", ...client);
  expect(err).toContain("m2 is back as a voter; 3 voters hold the same keys");
  expect(exitCode).toBe(0);
  expect((await health(host, ...client)).healthy).toBe(true);
});

test("without a manifest it is said what to do", async () => {
  const { err, exitCode } = await runCli(["member-readd", "--manifest", "/nonexistent/etcd.yaml"]);
  expect(exitCode).toBe(1);
  expect(err).toContain("error[not-found]: there is no manifest of etcd at /nonexistent/etcd.yaml\n");
  expect(err).toContain("next: make one (kubeadm init phase etcd local)");
});

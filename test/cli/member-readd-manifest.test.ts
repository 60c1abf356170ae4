import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { certificates, hasOpenssl } from "../adapters/tls-certificates.js";
import { type CliRun, runCli } from "../harness/cli.js";
import { type Kubelet, startKubelet } from "../harness/kubelet.js";
import { killWhen } from "../harness/process.js";
import { type HostSetUpAgain, health, hostSetUpAgain, startedAlone } from "./readd-scene.js";

interface Host extends HostSetUpAgain {
  readonly kubelet: Kubelet;
  readd(...more: readonly string[]): Promise<CliRun>;
}

/** As kubeadm sets up a first control-plane host. */
async function kubeadmHost(tls: readonly string[] = []): Promise<Host> {
  const host = await hostSetUpAgain(tls);
  const kubelet = startKubelet(host.etcd);
  const readdArgs = [...host.readdArgs, "--manifest", kubelet.manifest];
  await startedAlone(kubelet);
  return { ...host, readdArgs, kubelet, readd: (...more) => runCli([...readdArgs, "--yes", ...more]) };
}

test("a host that has started a cluster of its own is brought back", async () => {
  const host = await kubeadmHost();
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
  const host = await kubeadmHost();
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
  const host = await kubeadmHost();
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
  const host = await kubeadmHost(sides);
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

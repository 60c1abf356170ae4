import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { certificates, hasOpenssl } from "../adapters/tls-certificates.js";
import { runCli } from "../harness/cli.js";
import { startEtcdCluster } from "../harness/etcd-cluster.js";
import { temporaryFolder } from "../harness/folder.js";
import { manifestText, startKubelet } from "../harness/kubelet.js";
import { killWhen } from "../harness/process.js";
import { kubeadmHost } from "./kubeadm-host.js";
import { health } from "./readd-scene.js";

test("a dry run shows the lines of the manifest that would change, and changes nothing", async () => {
  const host = await kubeadmHost();
  const before = readFileSync(host.kubelet.manifest, "utf8");
  const { out, exitCode } = await runCli([...host.readdArgs, "--accept", "foreign-data", "--dry-run"]);
  expect(exitCode).toBe(0);
  expect(out).toContain("state    S2 wrong process running\n");
  expect(out).toMatch(/\n- {4}- --initial-cluster=m2=\S+\n\+ {4}- --initial-cluster=m0=\S+,m1=\S+,m2=\S+\n/);
  expect(out).toContain("\n+    - --initial-cluster-state=existing\n");
  const json = await runCli([
    ...[...host.readdArgs, "--accept", "foreign-data"],
    ...["--dry-run", "-o", "json"],
  ]);
  const { state, start, refusals } = JSON.parse(json.out);
  expect({ state, refusals, before: start.before }).toEqual({ state: "S2", refusals: [], before });
  const members = [...host.cluster.peerUrls.entries()].map(([index, url]) => `m${index}=${url}`).join(",");
  expect(start.after).toBe(
    before
      .replace(/--initial-cluster=.*/, `--initial-cluster=${members}`)
      .replace("    - --name=m2\n", "    - --name=m2\n    - --initial-cluster-state=existing\n"),
  );
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

test("a host without a manifest gets one of a peer's, and a run that was killed goes on with it", async () => {
  const cluster = await startEtcdCluster(2);
  onTestFinished(() => cluster.stop());
  const [folder, kubelet] = [temporaryFolder(), startKubelet()];
  const copy = join(folder, "peer.yaml");
  const [, peerUrl = ""] = cluster.peerUrls;
  const peers = {
    ...{ name: "m1", peerUrl, clientUrl: cluster.endpoints[1] ?? "", dataDir: join(folder, "data") },
    initialCluster: cluster.peerUrls.map((url, index) => `m${index}=${url}`).join(","),
  };
  writeFileSync(copy, manifestText(peers));
  const own = peerUrl.replace("127.0.0.1", "127.0.0.3");
  const argv = [
    ...["member-readd", "--manifest", kubelet.manifest, "--manifest-from", copy],
    ...["--name", "m2", "--peer-url", own, "--endpoints", cluster.endpoints.join(",")],
    ...["--journal-dir", join(folder, "journals"), "--no-snapshot"],
  ];
  const dryRun = await runCli([...argv, "--dry-run"]);
  expect(dryRun.out).toContain(`\n+    - --initial-advertise-peer-urls=${own}\n`);
  expect(existsSync(kubelet.manifest)).toBe(false);
  expect(await killWhen([...argv, "--yes"], "start: done\n")).toBe(true);
  const { err, exitCode } = await runCli([...argv, "--yes"]);
  expect(err).toContain("m2 is back as a voter; 3 voters hold the same keys");
  expect(exitCode).toBe(0);
  const written = manifestText({
    ...{ name: "m2", peerUrl: own, clientUrl: peers.clientUrl.replace("127.0.0.1", "127.0.0.3") },
    ...{ dataDir: peers.dataDir, initialCluster: `${peers.initialCluster},m2=${own}` },
  });
  const state = "    - --name=m2\n    - --initial-cluster-state=existing\n";
  expect(readFileSync(kubelet.manifest, "utf8")).toBe(written.replace("    - --name=m2\n", state));
  expect(statSync(kubelet.manifest).mode & 0o777).toBe(0o600);
  const another = await runCli(argv.map((word) => (word === "m2" ? "m3" : word)));
  expect(another.err).toContain("why:  it is there already, and not of m3 at ");
  expect(another.exitCode).toBe(3);
});

test.each([
  [["--name", "m2"], "error[usage]: it is not known whose manifest is to be made\n"],
  [
    ["--name", "m2", "--peer-url", "http://127.0.0.1:1", "--data-dir", "/nonexistent"],
    "error[usage]: it is not known who starts etcd\n",
  ],
  [["--name", "m2", "--peer-url", "nothing"], "error[usage]: --peer-url nothing cannot be used\n"],
])("a peer's manifest with %j is not understood", async (argv, text) => {
  const { err, exitCode } = await runCli(["member-readd", "--manifest-from", "peer.yaml", ...argv]);
  expect(err).toContain(text);
  expect(exitCode).toBe(2);
});

test("without a manifest it is said what to do", async () => {
  const { err, exitCode } = await runCli(["member-readd", "--manifest", "/nonexistent/etcd.yaml"]);
  expect(exitCode).toBe(1);
  expect(err).toContain("error[not-found]: there is no manifest of etcd at /nonexistent/etcd.yaml\n");
  expect(err).toContain(
    "next: give a copy of a peer's with --manifest-from, --name and --peer-url, or make one (kubeadm ",
  );
});

import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { killWhen } from "../harness/process.js";
import { kubeadmHost } from "./kubeadm-host.js";
import { health } from "./readd-scene.js";

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
  expect(await until("promote: done\n")).toBe(true);
  expect((await host.readd()).err).toContain("nothing to do: m2 is a voter and runs\n");
  expect(await health(host)).toEqual({ healthy: true, voters: ["m0 voter", "m1 voter", "m2 voter"] });
});

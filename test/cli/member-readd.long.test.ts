import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { certificates, hasOpenssl } from "../adapters/tls-certificates.js";
import { startEtcdCluster } from "../harness/etcd-cluster.js";
import { temporaryFolder } from "../harness/folder.js";
import { loseMember, returningMember } from "../harness/returning-member.js";
import { FOUR_LINES, health, memberAdd, memberRemove, startAndLose } from "./readd-scene.js";

describe("a member of three comes back", () => {
  test("whose data are another member's, which are kept aside", async () => {
    const member = await loseMember(3);
    await memberRemove(member);
    const { err, exitCode } = await member.readd("--no-snapshot");
    expect(err).toContain("the data are now in ");
    expect(exitCode).toBe(0);
    const [archive = ""] = readdirSync(dirname(member.dataDir)).filter((name) =>
      name.startsWith("data-etcdcidr-"),
    );
    expect(readdirSync(join(dirname(member.dataDir), archive, "member")).sort()).toEqual(["snap", "wal"]);
    expect((await health(member)).healthy).toBe(true);
  });

  test("whose data are kept: it is only waited for", async () => {
    const member = await loseMember(3);
    const run = member.readd();
    await member.start();
    expect((await run).exitCode).toBe(0);
    expect((await run).out).toBe("");
    expect((await health(member)).healthy).toBe(true);
  });

  test("that was added already and never started", async () => {
    const member = await loseMember(3);
    member.loseData();
    await memberRemove(member);
    await memberAdd(member);
    const { out, exitCode } = await member.readd();
    expect(exitCode).toBe(0);
    expect(out).toMatch(FOUR_LINES);
    expect((await health(member)).healthy).toBe(true);
  });

  test("and a run on top has nothing to do", async () => {
    const member = await loseMember(3);
    member.loseData();
    expect((await member.readd()).exitCode).toBe(0);
    const { err, exitCode } = await member.readd();
    expect(exitCode).toBe(0);
    expect(err).toContain("nothing to do: m2 is a voter and runs\n");
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
    const member = await loseMember(3, sides);
    member.loseData();
    const { err, exitCode } = await member.readd(...client);
    expect(err).toContain("m2 is back as a voter; 3 voters hold the same keys");
    expect(exitCode).toBe(0);
    expect((await health(member, ...client)).healthy).toBe(true);
  });
});

test("a run that is killed after every step is gone on with", async () => {
  const member = await loseMember(3);
  await memberRemove(member);
  await startAndLose(member);
  expect(await member.readdUntil("remove: done\n")).toBe(true);
  expect(await member.readdUntil("archive: done\n")).toBe(true);
  expect(await member.readdUntil("add: done\n")).toBe(true);
  expect(await member.readdUntil("waiting until etcd is started")).toBe(true);
  expect((await member.readd()).exitCode).toBe(0);
  expect((await health(member)).healthy).toBe(true);
});

test("one member grows to two and to three", async () => {
  const cluster = await startEtcdCluster(1);
  onTestFinished(() => cluster.stop());
  const [spare, other] = await Promise.all([startEtcdCluster(1), startEtcdCluster(1)]);
  const free = [spare, other].map(({ peerUrls }) => peerUrls[0] ?? "");
  await Promise.all([spare.stop(), other.stop()]);
  for (const [index, peerUrl] of free.entries()) {
    const dataDir = join(temporaryFolder(), "data");
    const member = returningMember(cluster, { name: `new-${index}`, peerUrl, dataDir });
    expect((await member.readd()).exitCode).toBe(0);
  }
  const found = await health({ endpoints: cluster.endpoints });
  expect(found).toEqual({ healthy: true, voters: ["m0 voter", "new-0 voter", "new-1 voter"] });
});

test("five members, two lost: one after the other", async () => {
  const member = await loseMember(5);
  const [, , , fourth] = member.cluster.members;
  fourth?.kill("SIGKILL");
  member.loseData();
  const refused = await member.readd();
  expect(refused.exitCode).toBe(3);
  expect(refused.err).toContain("not brought back: other-member-down\n");
  expect((await member.readd("--accept", "other-member-down")).exitCode).toBe(0);
  expect((await health(member)).voters).toEqual(["m0 voter", "m1 voter", "m2 voter", "m3 voter", "m4 voter"]);
});

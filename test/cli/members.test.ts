import { afterEach, describe, expect, test, vi } from "vitest";
import { runCli } from "../harness/cli.js";
import { openClient, startEtcd } from "../harness/etcd.js";
import { type EtcdCluster, startEtcdCluster } from "../harness/etcd-cluster.js";
import { freeze } from "../harness/freeze.js";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

async function startCluster(size: number): Promise<EtcdCluster> {
  const cluster = await startEtcdCluster(size);
  stops.push(cluster.stop);
  return cluster;
}

const QUICK = ["--dial-timeout", "500ms", "--command-timeout", "1s"];

/** What the command says of the cluster when it is asked at these endpoints. */
async function look(...endpoints: readonly string[]) {
  const argv = ["members", "-o", "json", "--endpoints", endpoints.join(","), ...QUICK];
  const { out, err, exitCode } = await runCli(argv);
  return { exitCode, err, ...JSON.parse(out) };
}

interface Row {
  readonly name: string;
  readonly role: string;
  readonly reachable: boolean;
}

const summary = (members: readonly Row[]) =>
  members.map(({ name, role, reachable }) => `${name} ${role} ${reachable ? "answers" : "silent"}`);

const codes = (faults: readonly { code: string }[]) => faults.map(({ code }) => code);

test("one member that is well", async () => {
  const cluster = await startCluster(1);
  const seen = await look(...cluster.endpoints);
  expect(seen).toMatchObject({ exitCode: 0, healthy: true, faults: [] });
  expect(seen.quorum).toEqual({ voters: 1, live: 1, needed: 1, spare: 0 });
  expect(summary(seen.members)).toEqual(["m0 voter answers"]);
});

test("three members are found through one, and agree with etcd's own answers", async () => {
  const cluster = await startCluster(3);
  const [first = ""] = cluster.endpoints;
  const seen = await look(first);
  expect(seen).toMatchObject({ exitCode: 0, healthy: true, faults: [] });
  const client = openClient(first);
  const { members, header } = await client.cluster.memberList({});
  const { leader } = await client.maintenance.status();
  client.close();
  expect(seen.clusterId).toBe(header.cluster_id);
  const told = (list: readonly { id: string; name: string }[]) =>
    list.map(({ id, name }) => `${id} ${name}`).sort();
  expect(told(seen.members)).toEqual(told(members.map(({ ID, name }) => ({ id: ID, name }))));
  const leaders = seen.members.filter(({ isLeader }: { isLeader: boolean }) => isLeader);
  expect(leaders.map(({ id }: { id: string }) => id)).toEqual([leader]);
});

test("a learner, then a frozen voter, then a lost quorum", async () => {
  const cluster = await startCluster(3);
  const [first = ""] = cluster.endpoints;
  // Within 5 s after its start etcd takes nobody for connected.
  await vi.waitFor(() => cluster.addLearner(), { timeout: 20_000, interval: 250 });

  const withLearner = await look(first);
  expect(withLearner.exitCode).toBe(6);
  expect(codes(withLearner.faults)).toEqual(["learner"]);
  expect(withLearner.quorum).toEqual({ voters: 3, live: 3, needed: 2, spare: 1 });

  const [, second, third] = cluster.members;
  await freeze(third ?? missing());
  const oneFrozen = await look(first);
  expect(oneFrozen.exitCode).toBe(6);
  expect(codes(oneFrozen.faults)).toContain("unreachable");
  expect(oneFrozen.quorum).toEqual({ voters: 3, live: 2, needed: 2, spare: 0 });
  expect(summary(oneFrozen.members)).toEqual([
    "learner learner answers",
    "m0 voter answers",
    "m1 voter answers",
    "m2 voter silent",
  ]);

  second?.kill("SIGKILL");
  const lost = await vi.waitFor(
    async () => {
      const seen = await look(first);
      expect(codes(seen.faults)).toContain("no-leader");
      return seen;
    },
    { timeout: 20_000, interval: 100 },
  );
  expect(lost.exitCode).toBe(6);
  expect(lost.quorum).toEqual({ voters: 3, live: 1, needed: 2, spare: -1 });
  expect(codes(lost.faults)).toEqual([
    "stale-list",
    "no-leader",
    "learner",
    "unreachable",
    "unreachable",
    "alarms-unknown",
  ]);
  expect(lost.err).toContain("error[not-verified]: this etcd cluster is not healthy\n");
});

test("a member that was added and has never started", async () => {
  const cluster = await startCluster(1);
  const [first = ""] = cluster.endpoints;
  const client = openClient(first);
  await client.cluster.memberAdd({ peerURLs: ["http://127.0.0.1:1"], isLearner: true });
  client.close();
  const seen = await look(first);
  expect(seen.exitCode).toBe(6);
  expect(codes(seen.faults)).toEqual(["never-started"]);
  const { text } = await runCli(["members", "--endpoints", first]);
  expect(text).toContain("(never started)  learner");
  expect(text).toContain("quorum   1 voter, 1 live, 1 needed: none more may fail\n");
});

describe("endpoints", () => {
  test("of two clusters", async () => {
    const [one, other] = [await startCluster(1), await startEtcd()];
    stops.push(other.stop);
    const seen = await look(...one.endpoints, other.endpoint);
    expect(seen.exitCode).toBe(6);
    expect(codes(seen.faults)).toEqual(["two-clusters"]);
    expect(summary(seen.members)).toEqual(["m0 voter answers", " not listed answers"]);
  });

  test("one that is dead beside one that is well", async () => {
    const cluster = await startCluster(1);
    const seen = await look("127.0.0.1:1", ...cluster.endpoints);
    expect(seen).toMatchObject({ exitCode: 0, healthy: true });
    expect(summary(seen.members)).toEqual(["m0 voter answers", " not listed silent"]);
  });

  test("that are all dead", async () => {
    const { err, exitCode } = await runCli(["members", "--endpoints", "127.0.0.1:1,127.0.0.1:2", ...QUICK]);
    expect(exitCode).toBe(3);
    expect(err).toContain("error[unreachable]: none of the 2 endpoints of etcd tells its members\n");
  });

  test("a learner's alone", async () => {
    const cluster = await startCluster(1);
    const learner = await cluster.addLearner();
    const { err, exitCode } = await runCli(["members", "--endpoints", learner.endpoint, ...QUICK]);
    expect(exitCode).toBe(3);
    expect(err).toContain("why:  a learner tells only its own status\n");
  });
});

test("with NOSPACE the member that has it is named", async () => {
  const server = await startEtcd({ flags: ["--quota-backend-bytes=1000000"] });
  stops.push(server.stop);
  await vi.waitFor(
    () => expect(server.put("/fill", Buffer.alloc(400_000))).rejects.toThrow("database space exceeded"),
    { timeout: 30_000, interval: 0 },
  );
  const seen = await look(server.endpoint);
  expect(seen.exitCode).toBe(6);
  expect(codes(seen.faults)).toEqual(["alarm"]);
  expect(seen.members[0].alarms).toEqual(["NOSPACE"]);
});

test("with passwords, and without", async () => {
  const server = await startEtcd();
  stops.push(server.stop);
  const admin = openClient(server.endpoint);
  await admin.auth.userAdd({ name: "root", password: "secret" });
  await admin.auth.userGrantRole({ user: "root", role: "root" });
  await admin.auth.authEnable();
  admin.close();
  const argv = ["members", "--endpoints", server.endpoint, ...QUICK];
  expect((await runCli([...argv, "--user", "root:secret"])).exitCode).toBe(0);
  const refused = await runCli(argv);
  expect(refused.exitCode).toBe(3);
  expect(refused.err).toContain("error[authentication]");
});

function missing(): never {
  throw new Error("there is no such member");
}

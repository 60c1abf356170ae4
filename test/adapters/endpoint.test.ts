import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { connectEtcd } from "../../src/adapters/endpoint.js";
import type { EtcdTarget } from "../../src/adapters/etcd.js";
import { isKine } from "../../src/adapters/etcd-kine.js";
import { type EtcdServer, startEtcd } from "../harness/etcd.js";
import { freeze } from "../harness/freeze.js";
import { startDeafPort } from "./endpoint-deaf.js";
import { startMember } from "./endpoint-server.js";
import { failureOf } from "./etcd-failure.js";

let server: EtcdServer;
let other: EtcdServer;
const members: { stop(): void }[] = [];

beforeAll(async () => {
  [server, other] = await Promise.all([startEtcd(), startEtcd()]);
});
afterAll(() => Promise.all([server.stop(), other.stop()]));
afterEach(() => {
  for (const member of members.splice(0)) member.stop();
});

const CLOSED = "http://127.0.0.1:1";
const REFUSED = {
  endpoint: CLOSED,
  why: "connection refused: nothing listens there",
  next: "check the endpoint, and that etcd runs there (crictl ps --name etcd, or systemctl status etcd)",
};

// A command timeout beyond the tests' own: a probe must never wait for it.
const targets = (...endpoints: string[]): EtcdTarget[] =>
  endpoints.map((endpoint) => ({ endpoint, dialTimeoutMs: 500, commandTimeoutMs: 300_000 }));

async function member(status: object, socket?: string): Promise<string> {
  const started = await startMember(status, socket);
  members.push(started);
  return started.endpoint;
}

test("one endpoint that serves is kept, without a warning", async () => {
  const { etcd, status, warnings } = await connectEtcd(targets(server.clientUrl));
  expect(etcd.endpoint).toBe(server.clientUrl);
  expect(status.leader).toBe(status.memberId);
  expect(isKine(status)).toBe(false);
  expect(warnings).toEqual([]);
  etcd.close();
});

test("dead endpoints before and after it are warned about", async () => {
  const { etcd, warnings } = await connectEtcd(targets(CLOSED, server.clientUrl, "http://127.0.0.1:2"));
  expect(etcd.endpoint).toBe(server.clientUrl);
  expect(warnings).toEqual([REFUSED, { ...REFUSED, endpoint: "http://127.0.0.1:2" }]);
  etcd.close();
});

test("a frozen endpoint costs the dial timeout, and another is used", async () => {
  await freeze(other);
  const { etcd, warnings } = await connectEtcd(targets(other.clientUrl, server.clientUrl));
  other.kill("SIGCONT");
  expect(etcd.endpoint).toBe(server.clientUrl);
  expect(warnings).toEqual([
    {
      endpoint: other.clientUrl,
      why: "it takes connections and gives no answer within 0.5s: etcd is frozen or overloaded",
      next: "check that etcd runs and is well there, or raise --dial-timeout",
    },
  ]);
  etcd.close();
});

test("a learner and a member without a leader are passed over", async () => {
  const [learner, lonely] = [await member({ isLearner: true }), await member({ leader: "0" })];
  const { etcd, warnings } = await connectEtcd(targets(learner, lonely, server.clientUrl));
  expect(etcd.endpoint).toBe(server.clientUrl);
  expect(warnings).toEqual([
    {
      endpoint: learner,
      why: "it is a learner, which serves no reads and takes no writes",
      next: "use the endpoint of a voting member",
    },
    {
      endpoint: lonely,
      why: "it knows no leader",
      next: "check that a majority of the members runs (etcdctl endpoint status --cluster)",
    },
  ]);
  etcd.close();
});

test("kine, which has neither leader nor cluster id, is used", async () => {
  const kine = await member({ leader: "0", header: {} });
  const { etcd, status } = await connectEtcd(targets(kine));
  expect(status).toMatchObject({ leader: 0n, clusterId: 0n, revision: 0n });
  expect(isKine(status)).toBe(true);
  etcd.close();
});

test("a connection that is never taken is told from a process that is frozen", async () => {
  const deaf = await startDeafPort();
  members.push(deaf);
  expect(await failureOf(connectEtcd(targets(deaf.endpoint)))).toMatchObject({
    code: "unreachable",
    explanation: {
      what: `etcd at ${deaf.endpoint} cannot be used`,
      why: "no connection within 0.5s: the host is down, or a firewall drops the packets",
      now: "nothing was written",
      next: "check the endpoint and the host, or raise --dial-timeout",
    },
  });
});

test("a unix socket, whose name may look like one with a port", async () => {
  const folder = mkdtempSync(join(tmpdir(), "etcdcidr-socket-"));
  const kine = await member({ leader: "0", header: {} }, join(folder, "kine.sock:2379"));
  const { etcd, status } = await connectEtcd(targets(kine));
  expect(etcd.endpoint).toBe(`unix://${folder}/kine.sock:2379`);
  expect(status.version).toBe("3.6.16");
  etcd.close();
  rmSync(folder, { recursive: true });
});

test("endpoints of two clusters are refused", async () => {
  const one = await member({});
  const two = await member({ header: { cluster_id: "17495100640981928781" } });
  expect(await failureOf(connectEtcd(targets(one, two)))).toMatchObject({
    code: "wrong-etcd",
    explanation: {
      what: "the endpoints belong to 2 etcd clusters",
      why: `their cluster ids differ: ${one} has 7 (no Kubernetes cluster under /registry), ${two} has f2cb1557076fcb4d (no Kubernetes cluster under /registry)`,
      now: "nothing was written",
      next: "give the endpoints of the one cluster that holds the Kubernetes objects",
    },
  });
});

test("a single dead endpoint gives its own error, with nothing written", async () => {
  expect(await failureOf(connectEtcd(targets(CLOSED)))).toMatchObject({
    code: "unreachable",
    explanation: {
      what: `etcd at ${CLOSED} cannot be reached`,
      why: REFUSED.why,
      now: "nothing was written",
      next: REFUSED.next,
    },
  });
});

test("when none can be used each is named with its reason", async () => {
  const learner = await member({ isLearner: true });
  expect(await failureOf(connectEtcd(targets(CLOSED, learner)))).toMatchObject({
    code: "unreachable",
    explanation: {
      what: "none of the 2 endpoints of etcd can be used",
      why: `${CLOSED}: ${REFUSED.why}; ${learner}: it is a learner, which serves no reads and takes no writes`,
      now: "nothing was written",
      next: REFUSED.next,
    },
  });
});

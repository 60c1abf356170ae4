import { once } from "node:events";
import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openEtcd } from "../../src/adapters/etcd.js";
import type { TxnOperation } from "../../src/ports.js";
import { type EtcdServer, startEtcd } from "../harness/etcd.js";
import { freeze } from "../harness/freeze.js";
import { failureOf } from "./etcd-failure.js";

const create = (key: string): TxnOperation => ({ action: "create", key, value: Buffer.from("1") });

async function closedPort(): Promise<number> {
  const listener = createServer();
  await once(listener.listen(0, "127.0.0.1"), "listening");
  const { port } = Object(listener.address());
  await once(listener.close(), "close");
  return port;
}

async function failures(endpoint: string) {
  const etcd = openEtcd({ endpoint, dialTimeoutMs: 1000, commandTimeoutMs: 1000 });
  const asked = await failureOf(etcd.status());
  const written = await failureOf(etcd.txn({ operations: [create("/a"), create("/b")], preconditions: [] }));
  etcd.close();
  return { asked, written };
}

const unreachable = (endpoint: string, why: string, next: string) => ({
  asked: {
    code: "unreachable",
    explanation: {
      what: `etcd at ${endpoint} cannot be reached`,
      why,
      now: "nothing was written by this call",
      next,
    },
  },
  written: {
    code: "not-sent",
    explanation: {
      what: `a Txn of 2 keys could not be sent to etcd at ${endpoint}`,
      why,
      now: "none of its changes is in etcd",
      next,
    },
  },
});

test("a closed port", async () => {
  const endpoint = `http://127.0.0.1:${await closedPort()}`;
  expect(await failures(endpoint)).toMatchObject(
    unreachable(
      endpoint,
      "connection refused: nothing listens there",
      "check the endpoint, and that etcd runs there (crictl ps --name etcd, or systemctl status etcd)",
    ),
  );
});

test("a name that cannot be resolved", async () => {
  const endpoint = "http://etcd.invalid:2379";
  expect(await failures(endpoint)).toMatchObject(
    unreachable(
      endpoint,
      "the host name cannot be resolved",
      "check the endpoint's host name, or use an address",
    ),
  );
});

test("a socket that is not there", async () => {
  const endpoint = "unix:///nowhere/kine.sock";
  expect(await failures(endpoint)).toMatchObject(
    unreachable(
      endpoint,
      "the socket is not there, or this user may not use it",
      "check the path, and run as root",
    ),
  );
});

describe("with an etcd", () => {
  let server: EtcdServer;
  beforeAll(async () => {
    server = await startEtcd();
  });
  afterAll(() => server.stop());

  test("https:// to its plain port, and frozen before the first connection: nothing was sent", async () => {
    const endpoint = server.clientUrl.replace("http:", "https:");
    expect(await failures(endpoint)).toMatchObject(
      unreachable(
        endpoint,
        "what listens there does not speak TLS",
        "use http:// if this etcd is really without TLS",
      ),
    );
    await freeze(server);
    expect(await failures(server.clientUrl)).toMatchObject(
      unreachable(
        server.clientUrl,
        "no connection within 1s: the host is down, a firewall drops the packets, or etcd is frozen",
        "check the endpoint and the host, or raise --dial-timeout",
      ),
    );
    server.kill("SIGCONT");
  });

  test("frozen with 16 Txns in flight: each is in doubt, and the connection lives on when it thaws", async () => {
    const etcd = openEtcd({ endpoint: server.clientUrl, dialTimeoutMs: 5000, commandTimeoutMs: 600 });
    await etcd.range({ key: "/a" });
    await freeze(server);
    const sent = Array.from({ length: 16 }, (_, i) =>
      failureOf(etcd.txn({ operations: [create(`/frozen/${i}`)], preconditions: [] })),
    );
    const doubt = {
      code: "in-doubt",
      explanation: {
        what: `a Txn of 1 key was sent and not answered by etcd at ${server.clientUrl}`,
        why: "no answer within 0.6s: etcd is frozen, overloaded or without quorum",
        now: "either all of its changes are in etcd or none is",
        next: "read its keys to see whether it was done",
      },
    };
    expect(await Promise.all(sent)).toMatchObject(Array(16).fill(doubt));
    server.kill("SIGCONT");
    expect(await etcd.range({ key: "/other" })).toMatchObject({ keyValues: [], more: false });
    etcd.close();
  });
});

import { Etcd3 } from "etcd3";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openEtcd } from "../../src/adapters/etcd.js";
import type { EtcdUser } from "../../src/adapters/etcd-token.js";
import { type EtcdServer, openClient, startEtcd } from "../harness/etcd.js";
import { failureOf } from "./etcd-failure.js";

let server: EtcdServer;
let admin: Etcd3;

const ROOT = { name: "root", password: "s3cret:with colon" };
const READER = { name: "reader", password: "r" };
const open = (user?: EtcdUser) =>
  openEtcd({
    endpoint: server.clientUrl,
    ...(user === undefined ? {} : { user }),
    dialTimeoutMs: 5000,
    commandTimeoutMs: 5000,
  });
const create = (key: string) => ({
  operations: [{ action: "create", key, value: Buffer.from("1") }] as const,
  preconditions: [],
});

beforeAll(async () => {
  server = await startEtcd();
  admin = openClient(server.endpoint);
  await admin.auth.userAdd({ name: "root", password: ROOT.password });
  await admin.auth.userGrantRole({ user: "root", role: "root" });
  await admin.auth.userAdd(READER);
  await admin.auth.roleAdd({ name: "reader" });
  await admin.auth.roleGrantPermission({
    name: "reader",
    perm: { permType: "Read", key: Buffer.from("/registry/"), range_end: Buffer.from("/registry0") },
  });
  await admin.auth.userGrantRole({ user: "reader", role: "reader" });
});
afterAll(async () => {
  admin.close();
  await server.stop();
});

test("a user is no error while authentication is off", async () => {
  const etcd = open(ROOT);
  expect((await etcd.range({ key: "/registry/a" })).keyValues).toEqual([]);
  etcd.close();
});

test("with authentication on: users, passwords, permissions, forgotten tokens", async () => {
  await admin.auth.authEnable();
  const nobody = open();
  const mistaken = open({ name: "root", password: "wrong" });
  const reader = open(READER);
  const root = open(ROOT);

  const refuses = (why: string) => ({
    code: "authentication",
    explanation: {
      what: `etcd at ${server.clientUrl} refuses the user`,
      why,
      now: "nothing was written by this call",
      next: "give --user name:password, or a client certificate whose common name is a user of etcd",
    },
  });
  expect(await failureOf(nobody.range({ key: "/registry/a" }))).toMatchObject(
    refuses("etcd has authentication switched on and no user is given"),
  );
  const wrong = refuses("the user name or the password is wrong");
  expect(await failureOf(mistaken.status())).toMatchObject(wrong);
  expect(await failureOf(mistaken.range({ key: "/registry/a" }))).toMatchObject(wrong);

  expect((await reader.range({ key: "/registry/a" })).keyValues).toEqual([]);
  expect(await failureOf(reader.txn(create("/registry/a")))).toMatchObject({
    code: "authentication",
    explanation: {
      what: `a Txn of 1 key was refused by etcd at ${server.clientUrl}`,
      why: "the user's roles do not allow it",
      now: "none of its changes is in etcd",
      next: "use a user with the role root, or grant its role the keys (etcdctl role grant-permission)",
    },
  });

  // A proxy that is not there, to show that the request for the token does not go through one either.
  vi.stubEnv("http_proxy", "http://127.0.0.1:1");
  const { revision } = await root.status();
  expect(await root.txn(create("/registry/a"))).toEqual({ kind: "committed", revision: revision + 1n });
  vi.unstubAllEnvs();

  const other = new Etcd3({
    hosts: server.clientUrl,
    auth: { username: ROOT.name, password: ROOT.password },
  });
  const late = open({ name: "late", password: "l" });
  expect(await failureOf(late.status())).toMatchObject(wrong);
  await other.auth.userAdd({ name: "late", password: "l" });
  expect(await late.status()).toMatchObject({ isLearner: false });

  // Switching authentication off and on makes etcd forget every token.
  await other.auth.authDisable();
  other.close();
  await admin.auth.authEnable();
  const writes = ["b", "c", "d"].map((name) => root.txn(create(`/registry/${name}`)));
  expect((await Promise.all(writes)).map(({ kind }) => kind)).toEqual(Array(3).fill("committed"));

  for (const etcd of [nobody, mistaken, reader, root, late]) etcd.close();
});

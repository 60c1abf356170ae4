import { afterEach, expect, test } from "vitest";
import { type EtcdContainer, startEtcdContainer } from "../harness/docker.js";
import { dumpEtcd, fillEtcd } from "../harness/etcd.js";

const started: EtcdContainer[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((container) => container.stop()));
});

test("an etcd in a container takes a put and gives it back", async () => {
  const container = await startEtcdContainer();
  started.push(container);
  await fillEtcd(container.endpoint, [
    { key: "/registry/minions/a", value: Uint8Array.of(0x6b, 0x38, 0x73, 0) },
  ]);
  expect(await dumpEtcd(container.endpoint)).toEqual(
    new Map([
      [
        "/registry/minions/a",
        { value: Buffer.from([0x6b, 0x38, 0x73, 0]), modRevision: 2n, createRevision: 2n },
      ],
    ]),
  );
});

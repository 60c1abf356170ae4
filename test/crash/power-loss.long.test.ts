import { afterAll, beforeAll, test } from "vitest";
import { type EtcdServer, LONG_LIVED, startEtcd } from "../harness/etcd.js";
import { cutsOf, expectWayOn, losePower, POWER_GOES } from "./power-loss.js";

let server: EtcdServer;
beforeAll(async () => {
  server = await startEtcd({ flags: LONG_LIVED });
});
afterAll(() => server.stop());

test.each(POWER_GOES)(
  "the power goes after $after: from every byte of the last two records there is a way on and back",
  { timeout: 7_200_000 },
  async ({ killAfter }) => {
    const life = { killAfter, unsynced: "kept" } as const;
    const { tail } = await losePower(server.endpoint, life);
    for (const length of cutsOf(tail, 1)) await expectWayOn(server.endpoint, life, tail.length - length);
  },
);

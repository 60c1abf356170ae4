import fc from "fast-check";
import { afterAll, beforeAll, test } from "vitest";
import { type EtcdServer, LONG_LIVED, startEtcd } from "../harness/etcd.js";
import { stories } from "../harness/model.js";
import { play } from "./model.js";

let server: EtcdServer;
beforeAll(async () => {
  server = await startEtcd({ flags: LONG_LIVED });
});
afterAll(() => server.stop());

test("whatever the tool and others do in turn, and wherever it is killed", {
  timeout: 7_200_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(stories, (story) => play(server.endpoint, story)),
    { numRuns: 1000 },
  );
});

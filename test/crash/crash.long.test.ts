import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type EtcdServer, LONG_LIVED, startEtcd } from "../harness/etcd.js";
import { crash, expectResumed, expectRolledBack, undisturbed } from "./crash.js";
import type { Kind } from "./scene.js";

let server: EtcdServer;
beforeAll(async () => {
  server = await startEtcd({ flags: LONG_LIVED });
});
afterAll(() => server.stop());

const each = (length: number) => Array.from({ length }, (_empty, index) => index + 1);

describe.each<{ kind: Kind; nodes: number; events: number }>([
  { kind: "batches", nodes: 130, events: 149 },
  { kind: "in flight", nodes: 20, events: 89 },
  { kind: "in flight", nodes: 140, events: 570 },
])("a change of $nodes Nodes, $kind, is killed", ({ kind, nodes, events }) => {
  const endpoint = () => server.endpoint;

  test("after any of the things that happen", async () => {
    expect((await undisturbed(endpoint(), kind, nodes)).events).toHaveLength(events);
  });

  describe.each(["kept", "lost"] as const)("and what was not synced is %s", (unsynced) => {
    test.each(each(events))("after thing %i: resume", async (killAfter) => {
      const { scene } = await crash({ endpoint: endpoint(), kind, nodes, life: { killAfter, unsynced } });
      await expectResumed(scene, await undisturbed(endpoint(), kind, nodes));
    });

    test.each(each(events))("after thing %i: rollback", async (killAfter) => {
      const { scene } = await crash({ endpoint: endpoint(), kind, nodes, life: { killAfter, unsynced } });
      await expectRolledBack(scene, await undisturbed(endpoint(), kind, nodes));
    });
  });
});

// Of a resume and of a rollback every seventh thing, each after a change that was killed at a third of it and at two thirds.
describe.each<Kind>(["batches", "in flight"])(
  "what goes on after a change, %s, is killed as well",
  (kind) => {
    const NODES = { batches: 130, "in flight": 20 };
    const KILLED_AFTER = { batches: [139, 144], "in flight": [50, 70] };
    const things = each(20).map((index) => index * 7);

    describe.each(KILLED_AFTER[kind])("the change after thing %i", (killAfter) => {
      test.each(things)("the resume after thing %i", async (again) => {
        const nodes = NODES[kind];
        const life = { killAfter, unsynced: "kept" } as const;
        const { scene } = await crash({ endpoint: server.endpoint, kind, nodes, life });
        await scene.run(["resume", "--yes"], { killAfter: again, unsynced: "lost" });
        await expectResumed(scene, await undisturbed(server.endpoint, kind, nodes));
      });

      test.each(things)("the rollback after thing %i", async (again) => {
        const nodes = NODES[kind];
        const life = { killAfter, unsynced: "lost" } as const;
        const { scene } = await crash({ endpoint: server.endpoint, kind, nodes, life });
        const { before } = await undisturbed(server.endpoint, kind, nodes);
        await scene.run(["rollback", "--yes"], { killAfter: again, unsynced: "kept" });
        await scene.run(["resume", "--yes"]);
        await scene.run(["rollback", "--yes"]);
        expect(await scene.nodes()).toEqual(before);
      });
    });
  },
);

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type EtcdServer, startEtcd } from "../harness/etcd.js";
import { crash, expectResumed, expectRolledBack, undisturbed } from "./crash.js";
import type { Kind } from "./scene.js";

let server: EtcdServer;
beforeAll(async () => {
  server = await startEtcd();
});
afterAll(() => server.stop());

// Of 130 Nodes go 64, 64 and 2; of 20 are 16 in flight. Every sort of point; all of them, in all four ways, in the long test.
describe.each<{ kind: Kind; nodes: number; events: number; resumed: number[]; rolledBack: number[] }>([
  {
    kind: "batches",
    nodes: 130,
    events: 149,
    resumed: [1, 3, 70, ...range(132, 149, 2)],
    rolledBack: [2, ...range(131, 149, 2)],
  },
  {
    kind: "in flight",
    nodes: 20,
    events: 89,
    resumed: [23, 25, 35, ...range(46, 81, 5), ...range(83, 89, 2)],
    rolledBack: [22, 24, 26, ...range(45, 80, 5), ...range(84, 88, 2)],
  },
])("a change of $nodes Nodes, $kind, is killed", ({ kind, nodes, events, resumed, rolledBack }) => {
  test("after any of the things that happen", async () => {
    expect((await undisturbed(server.endpoint, kind, nodes)).events).toHaveLength(events);
  });

  test.each(resumed)("after thing %i, and what was not synced is lost: resume", async (killAfter) => {
    const life = { killAfter, unsynced: "lost" } as const;
    const { scene } = await crash({ endpoint: server.endpoint, kind, nodes, life });
    await expectResumed(scene, await undisturbed(server.endpoint, kind, nodes));
  });

  test.each(rolledBack)("after thing %i, and all is kept: rollback", async (killAfter) => {
    const life = { killAfter, unsynced: "kept" } as const;
    const { scene } = await crash({ endpoint: server.endpoint, kind, nodes, life });
    await expectRolledBack(scene, await undisturbed(server.endpoint, kind, nodes));
  });
});

/** From first to last. */
function range(first: number, last: number, step: number): number[] {
  return Array.from(
    { length: Math.floor((last - first) / step) + 1 },
    (_empty, index) => first + index * step,
  );
}

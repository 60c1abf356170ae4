import { randomInt } from "node:crypto";
import { expect, test, vi } from "vitest";
import { temporaryFolder } from "../harness/folder.js";
import { type Bed, NODES, runOn, startOn } from "./bed.js";
import { type Follower, follow } from "./follower.js";
import { type Blocks, blocksIn, readEach, watchNodes } from "./nodes.js";

const MANY = 2_000;
/** Enough for a kill to come in the middle. */
const HALVED = 1_000;
const SEEN_AT_THE_KILL = 50;
/** As many as fit into one Txn. */
const SOME = 60;
const FOLLOWERS = 12;
const SEEN_WITHIN_MS = 60_000;
/** The old blocks lie in 10.64.0.0/12, each Node's new one in the same place of the new range. */
const CHANGE = ["change-pod-cidr", "10.208.0.0/12", "--node-cidr-mask-size=24", "--yes"];

/** What watchers and the API server's cache hold when many Nodes change, and when only a part of them has. */
export function judgeManyNodes(bed: Bed): void {
  test(`after a change of ${MANY} Nodes the cache equals etcd, and watchers that were cut off hold the truth without listing again`, async () => {
    const nodes = await fill(bed, MANY);
    const { api } = bed.plane;
    const followers = await startFollowers(bed, () => randomInt(1, 400));
    expect(await runOn(bed, temporaryFolder(), ...CHANGE)).toMatchObject({ exitCode: 0 });
    await untilAllHaveSeen(bed, followers);

    const expected = moved(nodes);
    expect(await readEach(api, Object.keys(expected))).toEqual(expected);
    expect(blocksIn(await api.get(`${NODES}?resourceVersion=0`))).toEqual(expected);
    for (const { blocks, cuts } of followers) {
      expect(blocks).toEqual(expected);
      expect(cuts).toBeGreaterThan(1);
    }
  });

  test("watchers that are cut off between Nodes of one Txn miss the rest, which is why live each Node is a Txn of its own", async () => {
    const nodes = await fill(bed, SOME);
    const followers = await startFollowers(bed, () => randomInt(1, SOME));
    const change = await runOn(bed, temporaryFolder(), ...CHANGE, "--one-transaction");
    expect(change).toMatchObject({ exitCode: 0 });
    await untilAllHaveSeen(bed, followers);

    expect(blocksIn(await bed.plane.api.get(NODES))).toEqual(moved(nodes));
    for (const { blocks } of followers) expect(blocks).not.toEqual(moved(nodes));
  });

  test.each([
    { command: "resume", end: moved },
    { command: "rollback", end: (nodes: Blocks) => nodes },
  ])("a half-written cluster is shown as it is, and $command makes it whole", async ({ command, end }) => {
    const nodes = await fill(bed, HALVED);
    const { api } = bed.plane;
    const journals = temporaryFolder();
    const watch = await watchNodes(api, "?resourceVersion=0");
    const run = startOn(bed, journals, ...CHANGE);
    const modified = () => watch.events.filter(({ type }) => type === "MODIFIED").length;
    await vi.waitUntil(() => modified() > SEEN_AT_THE_KILL, { timeout: SEEN_WITHIN_MS, interval: 1 });
    run.child.kill("SIGKILL");
    expect(await run.ended).toBe("SIGKILL");
    watch.cut();

    const half = blocksIn(await api.get(NODES));
    const goal = moved(nodes);
    const written = Object.keys(half).filter((name) => half[name]?.[0] === goal[name]?.[0]);
    expect(written.length).toBeGreaterThan(SEEN_AT_THE_KILL);
    expect(written.length).toBeLessThan(HALVED);
    expect(half).toEqual({ ...nodes, ...Object.fromEntries(written.map((name) => [name, goal[name]])) });

    expect(await runOn(bed, journals, command, "--yes")).toMatchObject({ exitCode: 0 });
    expect(blocksIn(await api.get(NODES))).toEqual(end(nodes));
    expect(blocksIn(await api.get(`${NODES}?resourceVersion=0`))).toEqual(end(nodes));
  });
}

/** Has so many Nodes, with blocks in their order, in the place of all that are there. */
async function fill(bed: Bed, count: number): Promise<Blocks> {
  const nodes = Array.from({ length: count }, (_, index) => ({
    name: `many-${index}`,
    blocks: [`10.${64 + (index >> 8)}.${index & 255}.0/24`],
  }));
  await bed.refillWith(nodes);
  return Object.fromEntries(nodes.map(({ name, blocks }) => [name, blocks]));
}

function moved(nodes: Blocks): Blocks {
  const move = (block: string) => block.replace(/^10\.(\d+)/, (_, second) => `10.${Number(second) + 144}`);
  return Object.fromEntries(Object.entries(nodes).map(([name, blocks]) => [name, blocks.map(move)]));
}

async function startFollowers({ plane }: Bed, cutAfter: () => number): Promise<readonly Follower[]> {
  return await Promise.all(Array.from({ length: FOLLOWERS }, () => follow(plane.api, cutAfter)));
}

/** A last write, behind which a watcher that has not seen an earlier one never will. */
async function untilAllHaveSeen({ plane }: Bed, followers: readonly Follower[]): Promise<void> {
  const last = "many-0";
  const { metadata } = await plane.api.patch(`${NODES}/${last}`, { metadata: { labels: { last: "yes" } } });
  const haveAll = () => followers.every((each) => each.hasSeen(last, metadata.resourceVersion));
  await vi.waitUntil(haveAll, { timeout: SEEN_WITHIN_MS });
  for (const follower of followers) follower.stop();
}

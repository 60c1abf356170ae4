import { expect, test, vi } from "vitest";
import { temporaryFolder } from "../harness/folder.js";
import { type Bed, NODES, runOn, startManager } from "./bed.js";
import { beatsOn, startHeartbeats } from "./heartbeats.js";
import { blocksIn, movedBlocks, readEach, watchCommits, watchNodes } from "./nodes.js";

export const CHANGE: readonly string[] = [
  "change-pod-cidr",
  "10.212.0.0/16",
  "--node-cidr-mask-size=23",
  "--yes",
];
const SEEN_WITHIN_MS = 2_000;
const ROUNDS = 3;

/** What clients of the API see and may do while Nodes are changed under a live kube-apiserver and kube-controller-manager. */
export function judgeLiveChange(bed: Bed, oldRange: string): void {
  test("every Node shows its new block in GET, LIST and WATCH at once, and takes labels, cordons and status", async () => {
    await bed.refill();
    const { api, storeUrl } = bed.plane;
    const manager = await startManager(bed, oldRange);
    const list = await api.get(NODES);
    const expected = movedBlocks(blocksIn(list));
    const names = Object.keys(expected);
    const queries = ["", "?resourceVersion=0", `?resourceVersion=${list.metadata.resourceVersion}`];
    const commits = await watchCommits(storeUrl);
    const watches = await Promise.all(queries.map((query) => watchNodes(api, query)));

    expect(await runOn(bed, temporaryFolder(), ...CHANGE)).toMatchObject({ exitCode: 0 });

    expect(blocksIn(await api.get(NODES))).toEqual(expected);
    const showsAll = async () =>
      expect(blocksIn(await api.get(`${NODES}?resourceVersion=0`))).toEqual(expected);
    await vi.waitFor(showsAll, { timeout: SEEN_WITHIN_MS });
    expect(await readEach(api, names)).toEqual(expected);
    for (const watch of watches) {
      const modified = () => watch.events.filter(({ type }) => type === "MODIFIED");
      await vi.waitUntil(() => modified().length >= names.length, { timeout: SEEN_WITHIN_MS });
      expect(Object.fromEntries(modified().map(({ name, blocks }) => [name, blocks]))).toEqual(expected);
      const delays = modified().map(({ atMs, revision }) => atMs - Number(commits.atMs.get(revision)));
      expect(Math.max(...delays)).toBeLessThan(SEEN_WITHIN_MS);
      watch.cut();
    }
    await commits.end();

    for (const name of names) {
      await api.patch(`${NODES}/${name}`, { metadata: { labels: { moved: "yes" } } });
      await api.patch(`${NODES}/${name}`, { spec: { unschedulable: true } });
      await api.patch(`${NODES}/${name}/status`, { status: { capacity: { pods: "110" } } });
    }
    const { items } = await api.get(NODES);
    expect(blocksIn({ items })).toEqual(expected);
    for (const { metadata, spec, status } of items) {
      expect([metadata.labels.moved, spec.unschedulable, status.capacity.pods]).toEqual(["yes", true, "110"]);
    }
    expect(manager.isRunning()).toBe(true);
  });

  test("under 50 heartbeats a second nothing is lost, neither theirs nor ours", async () => {
    await bed.refill();
    const { api } = bed.plane;
    const before = blocksIn(await api.get(NODES));
    const journals = temporaryFolder();
    const heartbeats = startHeartbeats(api, Object.keys(before));
    for (let round = 0; round < ROUNDS; round++) {
      expect(await runOn(bed, journals, ...CHANGE)).toMatchObject({ exitCode: 0 });
      expect(blocksIn(await api.get(NODES))).toEqual(movedBlocks(before));
      expect(await runOn(bed, journals, "rollback", "--yes")).toMatchObject({ exitCode: 0 });
      expect(blocksIn(await api.get(NODES))).toEqual(before);
    }
    const beats = await heartbeats.stop();
    expect(beats.filter(({ status }) => status !== 200)).toEqual([]);
    const { items } = await api.get(NODES);
    for (const node of items) {
      const sent = beats.filter((beat) => beat.node === node.metadata.name).map(({ number }) => number);
      expect(beatsOn(node)).toEqual(sent);
    }
    expect(blocksIn({ items })).toEqual(before);
  });
}

import { expect } from "vitest";
import { createNodes, nodesWithBlocks } from "../../scripts/control-plane/nodes.mjs";
import { type Bed, NODES, startManager } from "./bed.js";
import { type Blocks, blocksIn } from "./nodes.js";

const BLOCK_WITHIN_MS = 30_000;
const FIRST_BITS = /^[^.:]+[.:][^.:]+[.:]/;

/**
 * Has kube-controller-manager start with these ranges, and give a Node that joins a block of each range that no other Node
 * has; the Node stays. Returns all blocks.
 */
export async function expectToJoin(
  bed: Bed,
  clusterCidr: string,
  flags: readonly string[] = [],
  name = "joined",
): Promise<Blocks> {
  const { plane } = bed;
  const manager = await startManager(bed, clusterCidr, flags);
  await createNodes(plane.api, [{ name }]);
  await nodesWithBlocks(plane.api, BLOCK_WITHIN_MS);
  const blocks = blocksIn(await plane.api.get(NODES));
  const firstBits = (cidr: string) => FIRST_BITS.exec(cidr)?.[0];
  expect(blocks[name]?.map(firstBits)).toEqual(clusterCidr.split(",").map(firstBits));
  const all = Object.values(blocks).flat();
  expect(all.filter((block, index) => all.indexOf(block) !== index)).toEqual([]);
  expect(manager.isRunning()).toBe(true);
  await manager.stop();
  return blocks;
}

// Nodes without a kubelet.
import { setTimeout as sleep } from "node:timers/promises";

const NODES = "/api/v1/nodes";
const AT_ONCE = 16;
const POLL_MS = 50;

/**
 * Creates Nodes; kube-controller-manager gives a block to each that has none.
 * @param {object} api
 * @param {readonly { name: string, blocks?: readonly string[] }[]} nodes
 */
export async function createNodes(api, nodes) {
  const left = [...nodes];
  const worker = async () => {
    for (let node = left.shift(); node !== undefined; node = left.shift())
      await api.create(NODES, nodeOf(node));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

function nodeOf({ name, blocks }) {
  const spec = blocks === undefined ? {} : { podCIDR: blocks[0], podCIDRs: blocks };
  return { apiVersion: "v1", kind: "Node", metadata: { name }, spec };
}

/**
 * The Nodes, as soon as each has a block.
 * @param {object} api
 * @param {number} withinMs
 */
export async function nodesWithBlocks(api, withinMs) {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const { items } = await api.get(NODES);
    const without = items
      .filter(({ spec }) => spec.podCIDR === undefined)
      .map(({ metadata }) => metadata.name);
    if (without.length === 0) return items;
    if (Date.now() > deadline) throw new Error(`without a block after ${withinMs} ms: ${without.join(", ")}`);
    await sleep(POLL_MS);
  }
}

import { containsAddress } from "../cidr/cidr.js";
import type { NodeFacts } from "../objects/node.js";
import type { PodFacts } from "../objects/pod-tally.js";
import { readNodeBlocks } from "./pod-cidr/node-blocks.js";

/** Counts, by Node name, the Pods with an address that is in none of their Node's blocks: these have to be renewed. */
export interface OldPodCounter {
  add(pod: PodFacts): void;
  readonly counts: ReadonlyMap<string, number>;
}

export function createOldPodCounter(nodes: readonly NodeFacts[]): OldPodCounter {
  const blocks = new Map(nodes.map((node) => [node.name, readNodeBlocks(node).held.map(({ cidr }) => cidr)]));
  const counts = new Map<string, number>();
  return {
    counts,
    add({ node, addresses }) {
      const own = blocks.get(node) ?? [];
      const isOld = addresses.some((address) => !own.some((cidr) => containsAddress(cidr, address)));
      if (isOld) counts.set(node, (counts.get(node) ?? 0) + 1);
    },
  };
}

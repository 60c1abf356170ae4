import { type Cidr, containsAddress } from "../../cidr/cidr.js";
import { formatAddress } from "../../cidr/format.js";
import type { PodAddress } from "../../objects/pod-tally.js";
import type { PodBlocks } from "./pod-blocks.js";

/** Addresses outside the blocks they should be in, counted while they are streamed. */
export interface Strays {
  readonly checked: number;
  /** By node name; what lies on no node is under the empty name. */
  readonly byNode: ReadonlyMap<string, { readonly count: number; readonly examples: readonly string[] }>;
}

export interface StrayCounter extends Strays {
  /** One Pod or endpoint, and what to call it in an example. */
  add(node: string, addresses: readonly PodAddress[], name: string): void;
}

const EXAMPLES_A_NODE = 2;

export function createStrayCounter(blocks: PodBlocks): StrayCounter {
  const byNode = new Map<string, { count: number; examples: string[] }>();
  let checked = 0;
  return {
    byNode,
    get checked() {
      return checked;
    },
    add(node, addresses, name) {
      checked += 1;
      const own = blocksFor(blocks, node);
      const stray = addresses.find((address) => !own.some((cidr) => containsAddress(cidr, address)));
      if (stray === undefined) return;
      const tally = byNode.get(node) ?? { count: 0, examples: [] };
      tally.count += 1;
      if (tally.examples.length < EXAMPLES_A_NODE)
        tally.examples.push(`${name} ${formatAddress(stray.family, stray.value)}`);
      byNode.set(node, tally);
    },
  };
}

function blocksFor(blocks: PodBlocks, node: string): readonly Cidr[] {
  if (blocks.kind === "unknown") return [];
  if (blocks.kind === "anywhere") return blocks.blocks;
  return node === "" ? blocks.all : (blocks.blocks.get(node) ?? []);
}

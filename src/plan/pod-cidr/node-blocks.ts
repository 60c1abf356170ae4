import type { Cidr, Family } from "../../cidr/cidr.js";
import { readStoredCidr } from "../../cidr/parse.js";
import type { NodeFacts } from "../../objects/node.js";

/** A block, and how it is spelled in the Node's fields. */
export interface Block {
  readonly cidr: Cidr;
  readonly text: string;
}

/** A block that a Node holds today. */
export interface HeldBlock extends Block {
  /** Whether the text is what the API server would accept today. */
  readonly canonical: boolean;
}

/** A Node's blocks as the API server understands them, and what is odd about how they are stored. */
export interface NodeBlocks {
  readonly node: NodeFacts;
  /** The first block of each family, in the stored order. */
  readonly held: readonly HeldBlock[];
  /** podCIDR is not podCIDRs[0]. */
  readonly pairDiffers: boolean;
  /** Further blocks of a family that already has one: the API allows one a family. */
  readonly surplus: readonly Block[];
  /** Values that are no CIDR at all. */
  readonly garbage: readonly string[];
}

export function readNodeBlocks(node: NodeFacts): NodeBlocks {
  const held: HeldBlock[] = [];
  const surplus: Block[] = [];
  const garbage: string[] = [];
  for (const text of effectiveList(node)) {
    const stored = readStoredCidr(text);
    if (stored === undefined) garbage.push(text);
    else if (held.some(({ cidr }) => cidr.family === stored.cidr.family))
      surplus.push({ cidr: stored.cidr, text });
    else held.push({ cidr: stored.cidr, canonical: stored.canonical, text });
  }
  return { node, held, pairDiffers: pairDiffers(node), surplus, garbage };
}

export function heldOf(blocks: NodeBlocks, family: Family): HeldBlock | undefined {
  return blocks.held.find((block) => block.cidr.family === family);
}

/** All that a Node holds, as the findings see it: what it keeps when it is left alone. */
export function storedBlocks({ held, surplus }: NodeBlocks): readonly Block[] {
  return surplus.length === 0 ? held : [...held, ...surplus];
}

/** The same of one family: the block that counts and further ones. */
export function cidrsOf(blocks: NodeBlocks, family: Family): readonly Cidr[] {
  return storedBlocks(blocks).flatMap(({ cidr }) => (cidr.family === family ? [cidr] : []));
}

/**
 * podCIDR wins over podCIDRs[0] (measured: the API shows it, and makes it permanent at the next write). The API then
 * drops the whole list; we keep its entries of the other family, which only a half-done edit can have left there.
 */
function effectiveList({ podCidr, podCidrs }: NodeFacts): readonly string[] {
  if (podCidr === undefined || podCidr === "" || podCidr === podCidrs[0]) return podCidrs;
  const family = familyOf(podCidr);
  return [podCidr, ...podCidrs.filter((text) => familyOf(text) !== family)];
}

function familyOf(text: string): Family | undefined {
  return readStoredCidr(text)?.cidr.family;
}

function pairDiffers({ podCidr, podCidrs }: NodeFacts): boolean {
  return (podCidr ?? "") !== (podCidrs[0] ?? "");
}

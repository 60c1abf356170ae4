import { usableHosts } from "../../cidr/blocks.js";
import { type Cidr, contains, containsAddress, equals, widthOf } from "../../cidr/cidr.js";
import { formatAddress, formatCidr } from "../../cidr/format.js";
import type { Finding } from "../plan.js";
import type { FindingContext, PlannedNode } from "../pod-cidr/context.js";
import { heldOf } from "../pod-cidr/node-blocks.js";
import type { ReadSet } from "../read-set.js";
import { acceptableBlocker, count, someOf, warning } from "./finding.js";

/** What the new blocks mean for the Pods that run, or may run, on the Nodes. */
export function findPodFaults({ readSet, nodes, restored }: FindingContext): Finding[] {
  const changing = nodes.filter(({ change }) => change !== undefined);
  const isRestored = ({ blocks }: PlannedNode) => restored.has(blocks.node.key);
  const fresh = blocksAfter(changing.filter((node) => !isRestored(node)));
  const back = blocksAfter(changing.filter(isRestored));
  // What a Node had before may always be given back.
  return [
    ...findTooSmall(fresh, acceptableBlocker),
    ...findOutside(fresh, readSet, acceptableBlocker),
    ...findTooSmall(back, warning),
    ...findOutside(back, readSet, warning),
  ];
}

interface BlockAfter {
  readonly node: PlannedNode;
  readonly block: Cidr;
}

function blocksAfter(nodes: readonly PlannedNode[]): BlockAfter[] {
  return nodes.flatMap((node) => node.afterCidrs.map((block) => ({ node, block })));
}

function findTooSmall(blocks: readonly BlockAfter[], make: typeof warning): Finding[] {
  const small = blocks.filter(
    ({ node, block }) => usableHosts(block) < BigInt(node.blocks.node.podCapacity ?? 0),
  );
  const [worst] = small.sort(
    (left, right) => (right.node.blocks.node.podCapacity ?? 0) - (left.node.blocks.node.podCapacity ?? 0),
  );
  if (worst === undefined) return [];
  const capacity = worst.node.blocks.node.podCapacity ?? 0;
  const fitting = fittingBlock(worst.block, BigInt(capacity));
  return [
    make("node-block-too-small", {
      keys: small.map(({ node }) => node.blocks.node.key),
      what: `a /${worst.block.length} has ${usableHosts(worst.block)} usable addresses, and ${worst.node.blocks.node.name} takes ${capacity} Pods`,
      why: `Pods beyond the block's last address do not start (${count(small.length, "Node")})`,
      next: `use a mask of /${fitting.length} (${usableHosts(fitting)} usable addresses) or shorter`,
    }),
  ];
}

function fittingBlock(block: Cidr, hosts: bigint): Cidr {
  let length = widthOf(block.family);
  while (length > 0 && usableHosts({ ...block, length }) < hosts) length -= 1;
  return { ...block, length };
}

/** Only a block that shrinks in place leaves Pods outside unforeseen: in a new range all of them are renewed anyway. */
function findOutside(blocks: readonly BlockAfter[], readSet: ReadSet, make: typeof warning): Finding[] {
  const outside = blocks.flatMap(({ node, block }) => {
    const held = heldOf(node.blocks, block.family)?.cidr;
    if (held === undefined || !contains(held, block) || equals(held, block)) return [];
    return podsOutside(readSet, node, block);
  });
  if (outside.length === 0) return [];
  return [
    make("pods-outside-block", {
      keys: [...new Set(outside.map(({ key }) => key))],
      what: `Pods run outside the smaller blocks: ${someOf(outside.map(({ text }) => text))}`,
      why: "their addresses may be given to another Node while they still use them",
      next: "delete or move these Pods first, else renew them at once afterwards",
    }),
  ];
}

function podsOutside(readSet: ReadSet, node: PlannedNode, block: Cidr): { key: string; text: string }[] {
  const { name, key } = node.blocks.node;
  const tally = readSet.pods.get(name);
  const outermost = [tally?.lowest.get(block.family), tally?.highest.get(block.family)];
  const texts = outermost.flatMap((address) => {
    if (address === undefined || containsAddress(block, address)) return [];
    return [
      `${address.pod} at ${formatAddress(block.family, address.value)} (${name}, ${formatCidr(block)})`,
    ];
  });
  return [...new Set(texts)].map((text) => ({ key, text }));
}

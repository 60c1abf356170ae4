import { contains, type Family } from "../../cidr/cidr.js";
import { formatCidr } from "../../cidr/format.js";
import { parseCidr } from "../../cidr/parse.js";
import { EtcdcidrError } from "../../errors.js";
import type { NodeFacts } from "../../objects/node.js";
import { overlappingGroups } from "../findings/blocks.js";
import { count, someOf } from "../findings/finding.js";
import { cidrsOf, type NodeBlocks, readNodeBlocks, storedBlocks } from "../pod-cidr/node-blocks.js";
import { type Check, judge } from "./check.js";
import type { VerifyFacts } from "./verify-facts.js";
import { describe, rangeOf, type WantedRanges } from "./wanted-ranges.js";

/** The Nodes' podCIDR and podCIDRs. A cluster in which no Node has a block has nothing to check. */
export function checkNodes({ readSet }: VerifyFacts, wanted: WantedRanges | undefined): Check[] {
  const nodes = readSet.nodes.map(readNodeBlocks);
  if (!nodes.some(hasAny)) return [];
  return [checkPairs(nodes), checkValidity(nodes), ...checkRange(nodes, wanted), checkSharing(nodes)];
}

function hasAny({ node: { podCidr, podCidrs } }: NodeBlocks): boolean {
  return (podCidr ?? "") !== "" || podCidrs.length > 0;
}

function checkPairs(nodes: readonly NodeBlocks[]): Check {
  const faults = nodes
    .filter(({ pairDiffers }) => pairDiffers)
    .map(({ node }) => `${node.name}: podCIDR ${node.podCidr ?? ""}, podCIDRs ${node.podCidrs.join()}`);
  return judge("node-pair", "Nodes", `podCIDR is podCIDRs[0] on ${share(nodes, faults)}`, faults);
}

/**
 * As kube-apiserver validates: what it refuses blocks every label, taint and cordon of that Node (measured). Host bits and leading
 * zeros it refuses since 1.36 (gate StrictIPCIDRValidation); before, the next upgrade does it.
 */
function checkValidity(nodes: readonly NodeBlocks[]): Check {
  const faults = nodes.flatMap((blocks) =>
    [
      ...blocks.surplus.map(({ text }) => `${text} is a second block of its family`),
      ...invalidTexts(blocks.node),
    ].map((fault) => `${blocks.node.name}: ${fault}`),
  );
  return judge("node-valid", "Nodes", `valid blocks, one a family, on ${share(nodes, faults)}`, faults);
}

function invalidTexts({ podCidr, podCidrs }: NodeFacts): string[] {
  const texts = new Set([podCidr ?? "", ...podCidrs].filter((text) => text !== ""));
  return [...texts].flatMap((text) => {
    try {
      parseCidr(text);
      return [];
    } catch (error) {
      if (!(error instanceof EtcdcidrError)) throw error;
      return [`${text}: ${error.explanation.why}`];
    }
  });
}

function checkRange(nodes: readonly NodeBlocks[], wanted: WantedRanges | undefined): Check[] {
  if (wanted === undefined) return [];
  const faults = nodes.flatMap(({ node, ...rest }) => {
    const blocks = storedBlocks({ node, ...rest });
    if (blocks.length === 0) return [`${node.name} has no block`];
    const outside = blocks.flatMap(({ cidr, text }) => {
      const range = rangeOf(wanted, cidr.family);
      return range !== undefined && contains(range, cidr) ? [] : [`${node.name} ${text}`];
    });
    const families = blocks.map(({ cidr }) => cidr.family);
    return [...outside, ...familyFaults(node.name, families, wanted)];
  });
  return [judge("node-range", "Nodes", `inside ${describe(wanted)}: ${share(nodes, faults)}`, faults)];
}

/** kube-controller-manager matches blocks with its ranges by position. */
function familyFaults(name: string, families: readonly Family[], wanted: WantedRanges): string[] {
  const wantedFamilies = wanted.cidrs.map(({ family }) => family);
  const missing = wantedFamilies.filter((family) => !families.includes(family));
  if (missing.length > 0) return missing.map((family) => `${name} has no IPv${family} block`);
  const isInOrder = families.length !== 2 || wantedFamilies.length !== 2 || families[0] === wantedFamilies[0];
  return isInOrder ? [] : [`${name} has its IPv${families[0]} block first`];
}

function checkSharing(nodes: readonly NodeBlocks[]): Check {
  const faults = ([4, 6] as const).flatMap((family) =>
    overlappingGroups(nodes, (blocks) => cidrsOf(blocks, family)).map((group) => {
      const texts = new Set(group.flatMap((blocks) => cidrsOf(blocks, family)).map(formatCidr));
      return `${someOf(group.map(({ node }) => node.name))} share addresses of ${someOf([...texts])}`;
    }),
  );
  return judge("node-overlap", "Nodes", `no two of ${count(nodes.length, "Node")} share addresses`, faults);
}

/** How many are as they should be: a fault is one line, and a Node may have several. */
function share(nodes: readonly NodeBlocks[], faults: readonly string[]): string {
  return faults.length === 0 ? `all ${nodes.length}` : `not all of ${nodes.length}`;
}

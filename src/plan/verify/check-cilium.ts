import { type Cidr, contains, containsAddress, equals } from "../../cidr/cidr.js";
import { formatCidr } from "../../cidr/format.js";
import { readAddress } from "../../cidr/read-address.js";
import type { CiliumNodeFacts } from "../../objects/cilium.js";
import type { NodeFacts } from "../../objects/node.js";
import { overlappingGroups } from "../findings/blocks.js";
import { count, someOf } from "../findings/finding.js";
import { readNodeBlocks, storedBlocks } from "../pod-cidr/node-blocks.js";
import { rangesIn } from "../pod-cidr/old-range.js";
import { type Check, judge } from "./check.js";
import type { VerifyFacts } from "./verify-facts.js";
import { rangeOf, type WantedRanges } from "./wanted-ranges.js";

/** Cilium's own copies: its configuration, the CiliumNodes, and its routers' addresses. */
export function checkCilium({ readSet }: VerifyFacts, wanted: WantedRanges | undefined): Check[] {
  const { cilium, nodes } = readSet;
  if (cilium.ipam === undefined) return [];
  return [
    ...checkRanges(cilium.ranges ?? new Map(), cilium.ipam, wanted),
    ...(cilium.nodes.length === 0
      ? []
      : [
          cilium.ipam === "kubernetes" ? checkSameBlocks(cilium.nodes, nodes) : checkSharing(cilium.nodes),
          checkRouters(cilium.nodes, nodes),
        ]),
  ];
}

/** The pool decides only where Cilium hands out blocks; the routing range has to hold every block. */
function checkRanges(ranges: ReadonlyMap<string, string>, ipam: string, wanted?: WantedRanges): Check[] {
  if (wanted === undefined) return [];
  const relevant = [...ranges].filter(
    ([name]) => !name.startsWith("cluster-pool-") || ipam === "cluster-pool",
  );
  return relevant.flatMap(([name, text]) => {
    const range = rangeOf(wanted, name.includes("ipv6") ? 6 : 4);
    if (range === undefined) return [];
    const holds = rangesIn(text.replaceAll(/\s+/g, ",")).some((cidr) => contains(cidr, range));
    const faults = holds ? [] : [`it does not contain ${formatCidr(range)} (${wanted.source})`];
    return [judge(`cilium-${name}`, "ConfigMap cilium-config", `${name} ${text}`, faults)];
  });
}

/** Under `ipam: kubernetes` an agent takes over its Node's blocks when it starts. */
function checkSameBlocks(ciliumNodes: readonly CiliumNodeFacts[], nodes: readonly NodeFacts[]): Check {
  const blocksOf = new Map(
    nodes.map((node) => [node.name, storedBlocks(readNodeBlocks(node)).map(({ cidr }) => cidr)]),
  );
  const faults = ciliumNodes.flatMap(({ name, podCidrs }) => {
    const expected = blocksOf.get(name) ?? [];
    const held = rangesIn(podCidrs.join());
    const isSame =
      held.length === expected.length && held.every((cidr) => expected.some((other) => equals(cidr, other)));
    const expectedText = expected.map(formatCidr).join() || "no block";
    return isSame ? [] : [`${name} has ${podCidrs.join() || "no block"}, its Node ${expectedText}`];
  });
  return judge(
    "cilium-node-blocks",
    "CiliumNodes",
    `${count(ciliumNodes.length, "CiliumNode")} against their Nodes`,
    faults,
  );
}

/** Where Cilium hands out blocks, nobody else notices that two nodes have one. */
function checkSharing(ciliumNodes: readonly CiliumNodeFacts[]): Check {
  const faults = ([4, 6] as const).flatMap((family) =>
    overlappingGroups(ciliumNodes, (node) => blocksOfFamily(node, family)).map(
      (group) =>
        `${someOf(group.map(({ name }) => name))} share addresses of ${someOf([...new Set(group.flatMap((node) => blocksOfFamily(node, family)).map(formatCidr))])}`,
    ),
  );
  return judge(
    "cilium-node-overlap",
    "CiliumNodes",
    `no two of ${count(ciliumNodes.length, "CiliumNode")} share addresses`,
    faults,
  );
}

function blocksOfFamily({ podCidrs, poolCidrs }: CiliumNodeFacts, family: 4 | 6): readonly Cidr[] {
  return rangesIn([...podCidrs, ...poolCidrs].join()).filter((cidr) => cidr.family === family);
}

/** A router address that a restart has brought back from disk is taken for another node's once a Pod gets it. */
function checkRouters(ciliumNodes: readonly CiliumNodeFacts[], nodes: readonly NodeFacts[]): Check {
  const annotated = new Map(nodes.map(({ name, ciliumHosts }) => [name, ciliumHosts ?? []]));
  const faults = ciliumNodes.flatMap((node) => {
    const blocks = [...blocksOfFamily(node, 4), ...blocksOfFamily(node, 6)];
    const places = [
      ...node.internalIps.map((text) => ({ text, place: "CiliumInternalIP" })),
      ...(annotated.get(node.name) ?? []).map((text) => ({ text, place: "the cilium-host annotation" })),
    ];
    return places.flatMap(({ text, place }) => {
      const address = readAddress(text);
      const isInside = address !== undefined && blocks.some((cidr) => containsAddress(cidr, address));
      return isInside ? [] : [`${node.name}: ${place} ${text}`];
    });
  });
  return judge("cilium-router", "CiliumNodes", "routers' addresses inside their blocks", faults);
}

import type { Cidr } from "../../cidr/cidr.js";
import type { CiliumFacts } from "../../objects/cilium.js";
import type { NodeFacts } from "../../objects/node.js";
import { usesOwnIpam } from "../findings/cni.js";
import { readNodeBlocks, storedBlocks } from "../pod-cidr/node-blocks.js";
import { rangesIn } from "../pod-cidr/old-range.js";
import type { ReadSet } from "../read-set.js";

/** Where Pods' addresses have to lie: the network plugin's own blocks where it does not take them from the Node. */
export type PodBlocks =
  /** A Node's Pods are in its blocks. */
  | {
      readonly kind: "by node";
      readonly source: string;
      readonly blocks: ReadonlyMap<string, readonly Cidr[]>;
      /** For an endpoint that does not say which node it is on. */
      readonly all: readonly Cidr[];
    }
  /** A node may use any of them. */
  | { readonly kind: "anywhere"; readonly source: string; readonly blocks: readonly Cidr[] }
  | { readonly kind: "unknown"; readonly why: string };

export function podBlocks({ nodes, cilium, calico }: ReadSet): PodBlocks {
  if (cilium.ipam !== undefined && cilium.ipam !== "kubernetes") return ciliumBlocks(cilium);
  if (usesOwnIpam(calico)) {
    // Calico lends addresses of one node's block to another node that has none left.
    const blocks = calico.pools.flatMap(({ cidr }) => rangesIn(cidr));
    return { kind: "anywhere", source: "Calico's IP pools", blocks };
  }
  if (nodes.some(({ ovnSubnets }) => ovnSubnets !== undefined)) {
    const blocks = new Map(nodes.map((node) => [node.name, ovnBlocks(node)]));
    return byNode("annotation k8s.ovn.org/node-subnets", blocks);
  }
  const blocks = new Map(
    nodes.map((node) => [node.name, storedBlocks(readNodeBlocks(node)).map(({ cidr }) => cidr)]),
  );
  if ([...blocks.values()].every((cidrs) => cidrs.length === 0))
    return { kind: "unknown", why: "no Node has a block, and the network plugin's own are not known" };
  return byNode("the Nodes' blocks", blocks);
}

function ciliumBlocks({ ipam, nodes }: CiliumFacts): PodBlocks {
  const blocks = new Map(
    nodes.map(({ name, podCidrs, poolCidrs }) => [name, rangesIn([...podCidrs, ...poolCidrs].join())]),
  );
  if ([...blocks.values()].every((cidrs) => cidrs.length === 0))
    return { kind: "unknown", why: `the CiliumNodes name no blocks under ipam: ${ipam}` };
  return byNode(`the CiliumNodes' blocks (ipam: ${ipam})`, blocks);
}

function byNode(source: string, blocks: ReadonlyMap<string, readonly Cidr[]>): PodBlocks {
  return { kind: "by node", source, blocks, all: [...blocks.values()].flat() };
}

/** `{"default":["10.128.0.0/23"]}`, or one text in place of the list. */
function ovnBlocks({ ovnSubnets }: NodeFacts): readonly Cidr[] {
  return (ovnSubnets?.match(/[0-9a-fA-F.:]+\/\d+/g) ?? []).flatMap((text) => rangesIn(text));
}

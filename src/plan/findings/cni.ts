import { contains } from "../../cidr/cidr.js";
import { readStoredCidr } from "../../cidr/parse.js";
import type { CalicoFacts } from "../../objects/calico.js";
import type { Finding } from "../plan.js";
import type { FindingContext } from "../pod-cidr/context.js";
import { acceptableBlocker, someOf, warning } from "./finding.js";

/** Whether the network plugin takes Pods' addresses from the Node at all, and what it needs besides. */
export function findCniFaults(context: FindingContext): Finding[] {
  return [
    ...findIgnoring(context),
    ...findFlannelRange(context),
    ...findCalicoPools(context),
    ...findCiliumNodes(context),
  ];
}

function findIgnoring({ readSet, nodes }: FindingContext): Finding[] {
  const { cilium, calico } = readSet;
  const ovn = nodes.filter(({ blocks }) => blocks.node.ovnSubnets !== undefined);
  const reasons = [
    ...(cilium.ipam === undefined || cilium.ipam === "kubernetes"
      ? []
      : [{ keys: [cilium.configKey ?? ""], why: `cilium-config says ipam: ${cilium.ipam}` }]),
    ...(usesOwnIpam(calico)
      ? [
          {
            keys: calico.affinityKeys,
            why: "Calico's own IPAM has given the nodes blocks, and usePodCidr is not set",
          },
        ]
      : []),
    ...(ovn.length === 0
      ? []
      : [
          {
            keys: ovn.map(({ blocks }) => blocks.node.key),
            why: "OVN-Kubernetes keeps the Nodes' subnets in annotation k8s.ovn.org/node-subnets",
          },
        ]),
  ];
  return reasons.map(({ keys, why }) =>
    acceptableBlocker("cni-ignores-node", {
      keys,
      what: "the change would have no effect on Pods",
      why: `${why}: Pods get their addresses there, not from Node.spec.podCIDR`,
      next: "change the network plugin's own pool, unless that is done and the Nodes are to follow",
    }),
  );
}

/** Calico hands out blocks of its pools itself and does not look at the Node. */
export function usesOwnIpam({ affinityKeys, usesPodCidr }: CalicoFacts): boolean {
  return affinityKeys.length > 0 && !usesPodCidr;
}

function findFlannelRange({ readSet, nodes, families }: FindingContext): Finding[] {
  const { flannel } = readSet;
  if (flannel === undefined) return [];
  return families.flatMap(({ plan }) => {
    const text = plan.family === 4 ? flannel.network : flannel.ipv6Network;
    const network = readStoredCidr(text ?? "")?.cidr;
    const outside = nodes.filter(
      ({ change, afterCidrs }) =>
        change !== undefined &&
        afterCidrs.some(
          (cidr) => cidr.family === plan.family && !(network !== undefined && contains(network, cidr)),
        ),
    );
    if (outside.length === 0) return [];
    return warning("flannel-range", {
      keys: [flannel.key],
      what: `flanneld will not start on ${someOf(outside.map(({ blocks }) => blocks.node.name))}`,
      why: `net-conf.json says ${plan.family === 4 ? "Network" : "IPv6Network"} ${text ?? "(nothing)"}, which does not contain the new blocks`,
      next: "edit net-conf.json right after the change, before any flanneld or node restarts",
    });
  });
}

function findCalicoPools({ readSet }: FindingContext): Finding[] {
  const { pools } = readSet.calico;
  if (pools.length === 0 || usesOwnIpam(readSet.calico)) return [];
  return [
    warning("calico-pools", {
      keys: pools.map(({ key }) => key),
      what: `there are Calico IP pools: ${someOf(pools.map(({ cidr }) => cidr))}`,
      why: "under Calico's own IPAM Pods get their addresses from these, not from the Nodes' blocks",
      next: "if Calico is in use here, change its pools too",
    }),
  ];
}

function findCiliumNodes({ readSet, nodes }: FindingContext): Finding[] {
  const { cilium } = readSet;
  if (cilium.ipam !== "kubernetes") return [];
  const blocksByName = new Map(nodes.map(({ blocks, after }) => [blocks.node.name, after.join(",")]));
  const differing = cilium.nodes.filter(({ name, podCidrs }) => {
    const after = blocksByName.get(name);
    return after !== undefined && after !== podCidrs.join(",");
  });
  if (differing.length === 0) return [];
  return [
    warning("cilium-nodes-differ", {
      keys: differing.map(({ key }) => key),
      what: `CiliumNodes will name other blocks than the Nodes: ${someOf(differing.map(({ name }) => name))}`,
      why: "under ipam: kubernetes an agent copies the Node's block when it starts",
      next: "restart the cilium agents after the change",
    }),
  ];
}

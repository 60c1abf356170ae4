import type { Family } from "../cidr/cidr.js";
import { formatCidr } from "../cidr/format.js";
import { someOf } from "./findings/finding.js";
import { maskChanges } from "./mask-changes.js";
import { nodesOutside } from "./outside-nodes.js";
import type { FamilyOutline, NodeOutline } from "./plan.js";
import { NO_RANGE } from "./pod-cidr/families-back.js";
import { controllerManagers, rangesIn } from "./pod-cidr/old-range.js";
import type { ReadSet } from "./read-set.js";

/** Something that is left to do outside etcd, with the cluster's own values. */
export interface RemainingStep {
  readonly where: string;
  readonly what: string;
}

/** What etcdcidr does not do, in the order in which it has to be done. */
export function remainingSteps(
  families: readonly FamilyOutline[],
  readSet: ReadSet,
  changed: readonly NodeOutline[],
): readonly RemainingStep[] {
  if (families.length === 0) return [];
  return [
    ...flannelEdits(families, readSet),
    ...waitSteps(nodesOutside(families, readSet.nodes, changed)),
    ...controllerManagerSteps(families, readSet),
    ...kubeadmSteps(families, readSet),
    ...flannelRestarts(readSet),
    ...ciliumSteps(readSet),
    ...kubeProxySteps(families, readSet),
    ...cloudControllerSteps(families, readSet),
  ];
}

/** The value of `--cluster-cidr`: the ranges given now in their families' places, the others as they are. */
function clusterCidrValue(families: readonly FamilyOutline[], current: string | undefined): string {
  const ofFamily = (family: Family) => families.find((outline) => outline.family === family);
  const ranges = rangesIn(current);
  const kept = ranges.map((cidr) => ofFamily(cidr.family)?.target ?? formatCidr(cidr));
  const added = families
    .filter(({ family }) => ranges.every((cidr) => cidr.family !== family))
    .map(({ target }) => target);
  return [...kept, ...added].filter((target) => target !== NO_RANGE).join(",");
}

function familiesIn(clusterCidr: string): Family[] {
  return rangesIn(clusterCidr).map(({ family }) => family);
}

/** Whoever restarts it too early takes all its controllers down, not only the one for Nodes. */
function waitSteps(outside: readonly string[]): RemainingStep[] {
  if (outside.length === 0) return [];
  const verb = outside.length === 1 ? "has" : "have";
  return [
    {
      where: "kube-controller-manager",
      what: `do not start it with these flags yet: it exits while a Node is outside its range, and ${someOf(outside)} ${verb} other blocks`,
    },
  ];
}

function controllerManagerSteps(families: readonly FamilyOutline[], readSet: ReadSet): RemainingStep[] {
  const managers = controllerManagers(readSet);
  if (managers.length === 0) {
    const value = clusterCidrValue(families, readSet.kubeadm?.podSubnet);
    const { set } = maskChanges(families, familiesIn(value), new Map());
    const flags = [["cluster-cidr", value], ...set].map(asFlag);
    return [
      { where: "every control-plane host", what: `start kube-controller-manager with ${flags.join(" ")}` },
    ];
  }
  const hostsByWhat = new Map<string, string[]>();
  for (const { node, flags } of managers) {
    const what = flagChanges(families, flags);
    hostsByWhat.set(what, [...(hostsByWhat.get(what) ?? []), node]);
  }
  return [...hostsByWhat].map(([what, hosts]) => ({
    where: `host${hosts.length === 1 ? "" : "s"} ${hosts.join(", ")}`,
    what: `kube-controller-manager: ${what}`,
  }));
}

function flagChanges(families: readonly FamilyOutline[], flags: ReadonlyMap<string, string>): string {
  const value = clusterCidrValue(families, flags.get("cluster-cidr"));
  const { set, remove } = maskChanges(families, familiesIn(value), flags);
  const cidr = value === flags.get("cluster-cidr") ? [] : [["cluster-cidr", value]];
  const edits = [
    ...[[...cidr, ...set].map(asFlag).join(" ")].filter((list) => list !== "").map((list) => `set ${list}`),
    ...remove.map((name) => `remove --${name}`),
  ];
  return edits.length === 0 ? "has these flags already; restart it" : `${edits.join(", ")} and restart it`;
}

function asFlag([name, value]: readonly string[]): string {
  return `--${name}=${value}`;
}

function kubeadmSteps(families: readonly FamilyOutline[], { kubeadm }: ReadSet): RemainingStep[] {
  if (kubeadm?.podSubnet === undefined) return [];
  const value = clusterCidrValue(families, kubeadm.podSubnet);
  const { set, remove } = maskChanges(families, familiesIn(value), kubeadm.controllerManagerArgs);
  const given = kubeadm.controllerManagerArgs.get("cluster-cidr");
  const edits = [
    ...(value === kubeadm.podSubnet ? [] : [`set networking.podSubnet to ${value}`]),
    ...(given === undefined || given === value
      ? []
      : [`set cluster-cidr to "${value}" in controllerManager.extraArgs`]),
    ...[...set].map(([name, mask]) => `set ${name} to "${mask}" in controllerManager.extraArgs`),
    ...remove.map((name) => `remove ${name} from controllerManager.extraArgs`),
  ];
  if (edits.length === 0) return [];
  const what = `${edits.join(", ")} (else the next kubeadm upgrade brings the old values back)`;
  return [{ where: "ConfigMap kube-system/kubeadm-config", what }];
}

/** At once: flanneld does not start on a Node whose block is not inside the Network that it reads. */
function flannelEdits(families: readonly FamilyOutline[], { flannel }: ReadSet): RemainingStep[] {
  if (flannel === undefined) return [];
  const edits = families.flatMap(({ family, target }) => {
    const name = family === 4 ? "Network" : "IPv6Network";
    const value = family === 4 ? flannel.network : flannel.ipv6Network;
    if ((value ?? NO_RANGE) === target) return [];
    if (target === NO_RANGE) return [`remove ${name}`];
    // Without it flannel reads no IPv6Network (flannel, Documentation/configuration.md).
    const enable = family === 6 && value === undefined ? ["set EnableIPv6 to true"] : [];
    return [`set ${name} to ${target}`, ...enable];
  });
  if (edits.length === 0) return [];
  const what = `${edits.join(" and ")} in net-conf.json now, before any flanneld or node restarts`;
  return [{ where: `ConfigMap ${objectName(flannel.key)}`, what }];
}

/** After kube-controller-manager, and before kube-proxy: so no connection is lost until the Pods are renewed (measured). */
function flannelRestarts({ flannel }: ReadSet): RemainingStep[] {
  if (flannel === undefined) return [];
  const what =
    "restart all flanneld, give cni0 its new address first on every node, and only then renew Pods";
  return [{ where: "flannel on every node", what }];
}

function ciliumSteps({ cilium }: ReadSet): RemainingStep[] {
  if (cilium.ipam !== "kubernetes") return [];
  return [
    {
      where: "DaemonSet cilium",
      what: "restart the agents: each takes over its Node's new block when it starts",
    },
  ];
}

function kubeProxySteps(families: readonly FamilyOutline[], { kubeProxy }: ReadSet): RemainingStep[] {
  if (kubeProxy === undefined) return [];
  const where = "ConfigMap kube-system/kube-proxy";
  if (kubeProxy.detectLocalMode === "NodeCIDR") {
    return [
      {
        where,
        what: "nothing to edit; with detectLocalMode NodeCIDR each kube-proxy exits at the change and is restarted",
      },
    ];
  }
  if (kubeProxy.clusterCidr === undefined || kubeProxy.clusterCidr === "") return [];
  const value = clusterCidrValue(families, kubeProxy.clusterCidr);
  const edit = value === kubeProxy.clusterCidr ? "" : `set clusterCIDR to ${value} and `;
  return [{ where, what: `${edit}restart kube-proxy on every node` }];
}

function cloudControllerSteps(families: readonly FamilyOutline[], { components }: ReadSet): RemainingStep[] {
  return components
    .filter(({ component, flags }) => component === "cloud-controller-manager" && flags.has("cluster-cidr"))
    .map(({ node, flags }) => ({
      where: `host ${node}`,
      what: `cloud-controller-manager: set --cluster-cidr=${clusterCidrValue(families, flags.get("cluster-cidr"))}`,
    }));
}

function objectName(key: string): string {
  return key.split("/").slice(-2).join("/");
}

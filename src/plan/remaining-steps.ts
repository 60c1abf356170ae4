import { formatCidr } from "../cidr/format.js";
import { parseCidr } from "../cidr/parse.js";
import type { FamilyOutline } from "./plan.js";
import { controllerManagers, maskFlags, rangesIn } from "./pod-cidr/family-plan.js";
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
): readonly RemainingStep[] {
  return [
    ...controllerManagerSteps(families, readSet),
    ...kubeadmSteps(families, readSet),
    ...flannelSteps(families, readSet),
    ...ciliumSteps(readSet),
    ...kubeProxySteps(families, readSet),
    ...cloudControllerSteps(families, readSet),
  ];
}

/** The value of `--cluster-cidr`: the ranges given now in their families' places, the others as they are. */
function clusterCidrValue(families: readonly FamilyOutline[], current: string | undefined): string {
  const targets = families.map(({ target }) => parseCidr(target));
  const kept = rangesIn(current).map((cidr) => targets.find(({ family }) => family === cidr.family) ?? cidr);
  const added = targets.filter(({ family }) => kept.every((cidr) => cidr.family !== family));
  return [...kept, ...added].map(formatCidr).join(",");
}

function controllerManagerSteps(families: readonly FamilyOutline[], readSet: ReadSet): RemainingStep[] {
  const managers = controllerManagers(readSet);
  if (managers.length === 0) {
    const flags = wantedFlags(families, readSet.kubeadm?.podSubnet, false);
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
  const wanted = wantedFlags(families, flags.get("cluster-cidr"), flags.has("node-cidr-mask-size"));
  const missing = wanted.filter((flag) => {
    const [name = "", value = ""] = flag.slice(2).split("=");
    return (flags.get(name) ?? DEFAULT_MASKS[name]) !== value;
  });
  return missing.length === 0
    ? "has these flags already; restart it"
    : `set ${missing.join(" ")} and restart it`;
}

// What kube-controller-manager takes where a flag is not given (cmd/kube-controller-manager/app/core.go).
const DEFAULT_MASKS: Readonly<Record<string, string>> = {
  "node-cidr-mask-size": "24",
  "node-cidr-mask-size-ipv4": "24",
  "node-cidr-mask-size-ipv6": "64",
};

function wantedFlags(
  families: readonly FamilyOutline[],
  current: string | undefined,
  general: boolean,
): string[] {
  const value = clusterCidrValue(families, current);
  const single = !value.includes(",");
  const masks = families.map(({ family, nodeMask }) => {
    const [ownFlag = "", generalFlag = ""] = maskFlags(family);
    return `--${single && (general || family === 4) ? generalFlag : ownFlag}=${nodeMask}`;
  });
  return [`--cluster-cidr=${value}`, ...masks];
}

function kubeadmSteps(families: readonly FamilyOutline[], { kubeadm }: ReadSet): RemainingStep[] {
  if (kubeadm?.podSubnet === undefined) return [];
  const value = clusterCidrValue(families, kubeadm.podSubnet);
  const subnet = value === kubeadm.podSubnet ? [] : [`set networking.podSubnet to ${value}`];
  const masks = families.flatMap(({ family, nodeMask }) =>
    maskFlags(family)
      .filter((name) => (kubeadm.controllerManagerArgs.get(name) ?? `${nodeMask}`) !== `${nodeMask}`)
      .map((name) => `set ${name} to "${nodeMask}" in controllerManager.extraArgs`),
  );
  const edits = [...subnet, ...masks];
  if (edits.length === 0) return [];
  const what = `${edits.join(", ")} (else the next kubeadm upgrade brings the old values back)`;
  return [{ where: "ConfigMap kube-system/kubeadm-config", what }];
}

function flannelSteps(families: readonly FamilyOutline[], { flannel }: ReadSet): RemainingStep[] {
  if (flannel === undefined) return [];
  const fields = families
    .map(({ family, target }) => ({ name: family === 4 ? "Network" : "IPv6Network", target, family }))
    .filter(({ family, target }) => (family === 4 ? flannel.network : flannel.ipv6Network) !== target)
    .map(({ name, target }) => `${name} to ${target}`);
  const edit = fields.length === 0 ? "" : `set ${fields.join(" and ")} in net-conf.json now, then `;
  const what = `${edit}restart all flanneld, give cni0 its new address first on every node, and only then renew Pods`;
  return [{ where: `ConfigMap ${objectName(flannel.key)}`, what }];
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

import { containsAddress } from "../../cidr/cidr.js";
import { formatAddress } from "../../cidr/format.js";
import { readAddress } from "../../cidr/read-address.js";
import { type Check, judge } from "./check.js";
import { compareRanges, type Wanted } from "./check-components.js";
import type { VerifyFacts } from "./verify-facts.js";
import { describe } from "./wanted-ranges.js";

/** The ranges that are written down a second time in ConfigMaps. */
export function checkConfigMaps(facts: VerifyFacts, wanted: Wanted): Check[] {
  return [
    ...checkKubeadm(facts, wanted),
    ...checkKubeProxy(facts, wanted),
    ...checkFlannel(facts, wanted),
    ...checkClusterDns(facts, wanted),
  ];
}

function checkKubeadm({ readSet: { kubeadm } }: VerifyFacts, { pods, services }: Wanted): Check[] {
  if (kubeadm === undefined) return [];
  const entries = [
    { name: "podSubnet", text: kubeadm.podSubnet, wanted: pods },
    { name: "serviceSubnet", text: kubeadm.serviceSubnet, wanted: services },
    { name: "cluster-cidr", text: kubeadm.controllerManagerArgs.get("cluster-cidr"), wanted: pods },
  ];
  return entries.flatMap(({ name, text, wanted }) =>
    text === undefined || wanted === undefined
      ? []
      : [compareRanges(`kubeadm-${name}`, "ConfigMap kubeadm-config", `${name} ${text}`, text, wanted)],
  );
}

function checkKubeProxy({ readSet: { kubeProxy } }: VerifyFacts, { pods }: Wanted): Check[] {
  const text = kubeProxy?.clusterCidr ?? "";
  if (text === "" || pods === undefined) return [];
  return [compareRanges("kube-proxy-clusterCIDR", "ConfigMap kube-proxy", `clusterCIDR ${text}`, text, pods)];
}

function checkFlannel({ readSet: { flannel } }: VerifyFacts, { pods }: Wanted): Check[] {
  if (flannel === undefined || pods === undefined) return [];
  return pods.cidrs.flatMap(({ family, ...rest }) => {
    const name = family === 4 ? "Network" : "IPv6Network";
    const text = (family === 4 ? flannel.network : flannel.ipv6Network) ?? "";
    const wanted = { cidrs: [{ family, ...rest }], source: pods.source };
    return [
      compareRanges(
        `flannel-${name}`,
        "ConfigMap kube-flannel-cfg",
        `${name} ${text || "(none)"}`,
        text,
        wanted,
      ),
    ];
  });
}

/** Pods ask there for every name, so it has to be an address that the service network still has. */
function checkClusterDns({ kubelet, services }: VerifyFacts, { services: wanted }: Wanted): Check[] {
  if (kubelet === undefined || kubelet.clusterDns.length === 0 || wanted === undefined) return [];
  const held = new Set(services.flatMap(({ clusterIps }) => clusterIps).map(addressText));
  const faults = kubelet.clusterDns.flatMap((text) => {
    const address = readAddress(text);
    // A node-local cache listens on an address outside of the service network, on purpose (NodeLocal DNSCache).
    if (address === undefined || LINK_LOCAL.test(text)) return [];
    const isInside = wanted.cidrs.some((cidr) => containsAddress(cidr, address));
    if (!isInside) return [`${text} is outside ${describe(wanted)}`];
    return held.has(addressText(text)) ? [] : [`no Service has ${text}`];
  });
  return [
    judge(
      "kubelet-clusterDNS",
      "ConfigMap kubelet-config",
      `clusterDNS ${kubelet.clusterDns.join()}`,
      faults,
    ),
  ];
}

/** One text for an address however it is spelled. */
function addressText(text: string): string {
  const address = readAddress(text);
  return address === undefined ? text : formatAddress(address.family, address.value);
}

const LINK_LOCAL = /^169\.254\./;

import type { Cidr, Family } from "../../cidr/cidr.js";
import { formatCidr } from "../../cidr/format.js";
import { parseCidr } from "../../cidr/parse.js";
import { rangesIn } from "../pod-cidr/old-range.js";
import type { VerifyFacts, VerifyIntent } from "./verify-facts.js";

/** The ranges that everything is compared with, one a family, and where they come from. */
export interface WantedRanges {
  readonly cidrs: readonly Cidr[];
  readonly source: string;
}

interface Candidate {
  readonly text: string | undefined;
  readonly source: string;
}

/** The pod network: as asked for, else as the component that hands out the blocks says, else as it was set up. */
export function wantedPodRanges(
  { podCidrs }: VerifyIntent,
  { readSet }: VerifyFacts,
): WantedRanges | undefined {
  const { components, kubeadm, flannel, kubeProxy } = readSet;
  return (
    asked(podCidrs, "--pod-cidr") ??
    first([
      ...components
        .filter(({ component }) => component === "kube-controller-manager")
        .map(({ flags, node }) => ({
          text: flags.get("cluster-cidr"),
          source: `--cluster-cidr of kube-controller-manager on ${node}`,
        })),
      { text: kubeadm?.podSubnet, source: "podSubnet in ConfigMap kubeadm-config" },
      {
        text: [flannel?.network, flannel?.ipv6Network].filter(Boolean).join(),
        source: "net-conf.json in ConfigMap kube-flannel-cfg",
      },
      { text: kubeProxy?.clusterCidr, source: "clusterCIDR in ConfigMap kube-proxy" },
    ])
  );
}

/** kube-apiserver's own default, where nothing says another (kubernetes-semantics: `--service-cluster-ip-range`). */
const DEFAULT_SERVICE_RANGE = "10.0.0.0/24";

/** The service network: since Kubernetes 1.33 the object `kubernetes` decides, before that the flag. */
export function wantedServiceRanges(
  { serviceCidrs }: VerifyIntent,
  { serviceCidrs: objects, allocations, readSet }: VerifyFacts,
): WantedRanges | undefined {
  const { components, kubeadm } = readSet;
  const apiServers = components.filter(({ component }) => component === "kube-apiserver");
  return (
    asked(serviceCidrs, "--service-cidr") ??
    first([
      ...objects
        .filter(({ name }) => name === "kubernetes")
        .map(({ cidrs, key }) => ({ text: cidrs.join(), source: `ServiceCIDR ${key}` })),
      ...apiServers.map(({ flags, node }) => ({
        text: flags.get("service-cluster-ip-range"),
        source: `--service-cluster-ip-range of kube-apiserver on ${node}`,
      })),
      { text: kubeadm?.serviceSubnet, source: "serviceSubnet in ConfigMap kubeadm-config" },
      { text: allocations.map(({ range }) => range).join(), source: "ranges/serviceips" },
      {
        text: apiServers.length === 0 ? undefined : DEFAULT_SERVICE_RANGE,
        source: "the default, which kube-apiserver assumes without the flag",
      },
    ])
  );
}

function asked(texts: readonly string[], source: string): WantedRanges | undefined {
  return texts.length === 0 ? undefined : { cidrs: texts.map(parseCidr), source };
}

function first(candidates: readonly Candidate[]): WantedRanges | undefined {
  const readable = candidates.map(({ text, source }) => ({ cidrs: rangesIn(text), source }));
  return readable.find(({ cidrs }) => cidrs.length > 0);
}

/** `10.212.0.0/16,fd00:10:212::/48` */
export function textOf({ cidrs }: WantedRanges): string {
  return cidrs.map(formatCidr).join();
}

/** `10.212.0.0/16 (--pod-cidr)` */
export function describe(wanted: WantedRanges): string {
  return `${textOf(wanted)} (${wanted.source})`;
}

export function rangeOf({ cidrs }: WantedRanges, family: Family): Cidr | undefined {
  return cidrs.find((cidr) => cidr.family === family);
}

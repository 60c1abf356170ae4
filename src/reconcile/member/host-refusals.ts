import type { ListedMember } from "../cluster-state.js";
import { type ClusterView, statusIn } from "./cluster-view.js";
import { compareMinor } from "./compare-minor.js";
import { normalUrl } from "./find-entry.js";
import type { CertificateFacts, HostFacts, WantedMember } from "./observed.js";
import type { MemberRefusal } from "./refusal.js";

/** Why etcd of this host could not join, found before it tries. */
export function startRefusals(
  view: ClusterView,
  { certificates = [], ...host }: HostFacts,
): readonly MemberRefusal[] {
  return [
    ...certificates.flatMap((each) => certificateRefusals(each, host.nowMs)),
    ...olderVersion(view, host.version),
  ];
}

/** Besides, why it is not even begun with. */
export function hostRefusals(
  view: ClusterView,
  host: HostFacts,
  wanted: WantedMember,
  entry: ListedMember | undefined,
): readonly MemberRefusal[] {
  const others = view.list.members.filter(({ id }) => id !== entry?.id);
  return [
    ...urlRefusals(wanted, others),
    ...startRefusals(view, host),
    ...(host.peerProbes ?? []).flatMap(({ url, fault }) =>
      fault === undefined
        ? []
        : [
            {
              code: "peer-unreachable" as const,
              what: `${url} cannot be reached from this host: ${fault}`,
              next: "check the peer certificate, the network and the firewall between the members",
            },
          ],
    ),
    ...diskSpace(view, host),
  ];
}

const PEER_URL = /^https?:\/\/([^/?#@]+):\d+\/?$/i;

function urlRefusals({ peerUrl }: WantedMember, others: readonly ListedMember[]): readonly MemberRefusal[] {
  if (!PEER_URL.test(peerUrl))
    return [
      {
        code: "peer-url",
        what: `${peerUrl} is no peer URL: a scheme, a host and a port, and no path`,
        next: "give --peer-url as https://10.0.0.1:2380",
      },
    ];
  const client = others.find(({ clientUrls }) =>
    clientUrls.some((url) => normalUrl(url) === normalUrl(peerUrl)),
  );
  const schemes = new Set(others.flatMap(({ peerUrls }) => peerUrls.map(schemeOf)));
  const [scheme] = schemes;
  return [
    ...(client === undefined
      ? []
      : [
          {
            code: "peer-url-is-client-url" as const,
            what: `${peerUrl} is the client URL of ${client.name}`,
            next: "give the URL of the peer port, usually 2380",
          },
        ]),
    ...(scheme !== undefined && schemes.size === 1 && scheme !== schemeOf(peerUrl)
      ? [
          {
            code: "peer-url-scheme" as const,
            what: `${peerUrl} is ${schemeOf(peerUrl)}, and all other members speak ${scheme} with each other`,
            next: `give a peer URL with ${scheme}`,
          },
        ]
      : []),
  ];
}

function schemeOf(url: string): string {
  return url.toLowerCase().startsWith("https:") ? "https" : "http";
}

function certificateRefusals(facts: CertificateFacts, nowMs: number): readonly MemberRefusal[] {
  const { path, notBeforeMs, notAfterMs, coversPeerHost, isOfCa, matchesKey } = facts;
  const next = `make a new one (kubeadm certs renew, or kubeadm init phase certs), then run again`;
  const isValid = notBeforeMs <= nowMs && nowMs <= notAfterMs;
  return [
    ...(isValid
      ? []
      : [
          {
            code: "certificate-time" as const,
            what: nowMs > notAfterMs ? `${path} has expired` : `${path} is not valid yet`,
            next: nowMs > notAfterMs ? next : "compare this host's clock with the others'",
          },
        ]),
    ...(coversPeerHost
      ? []
      : [
          {
            code: "certificate-names" as const,
            what: `${path} does not name the host of the peer URL`,
            next,
          },
        ]),
    ...(isOfCa
      ? []
      : [{ code: "certificate-issuer" as const, what: `${path} is not signed by its CA`, next }]),
    ...(matchesKey
      ? []
      : [{ code: "certificate-key" as const, what: `${path} and its key are no pair`, next }]),
  ];
}

/** etcd exits where a member of the cluster has a higher minor version (etcdserver/version). */
function olderVersion(view: ClusterView, version: string | undefined): readonly MemberRefusal[] {
  if (version === undefined) return [];
  const versions = view.list.members.flatMap(({ id }) => statusIn(view, id)?.version ?? []);
  const lowest = versions.sort((left, right) => compareMinor(left, right))[0];
  if (lowest === undefined || compareMinor(version, lowest) >= 0) return [];
  return [
    {
      code: "older-version",
      what: `this host has etcd ${version}, and the cluster runs ${lowest}`,
      next: `install etcd ${lowest} here`,
    },
  ];
}

/** A database and its snapshot at once, as when the leader sends one. */
function diskSpace(view: ClusterView, { freeBytes }: HostFacts): readonly MemberRefusal[] {
  const sizes = view.list.members.map(({ id }) => statusIn(view, id)?.dbSize ?? 0n);
  const [largest = 0n] = sizes.sort((left, right) => (left > right ? -1 : 1));
  const needed = 2n * largest;
  if (freeBytes === undefined || freeBytes >= needed) return [];
  return [
    {
      code: "disk-space",
      what: `${freeBytes} bytes are free where the data go, and twice the database are ${needed}`,
      next: "make room on that file system",
    },
  ];
}

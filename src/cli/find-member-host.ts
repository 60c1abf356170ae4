import type { EtcdTarget } from "../adapters/etcd.js";
import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import type { GlobalOptions } from "./global-options.js";
import { type ManifestHost, openManifestHost } from "./manifest-host.js";
import type { MemberHost } from "./member-host.js";

/** The flags that say which member this host's is. */
export interface MemberFlags {
  readonly name?: string;
  readonly peerUrl?: string;
  readonly dataDir?: string;
  readonly walDir?: string;
  readonly manifest: string;
}

/** The member by its flags, which then are all given, or else by its manifest; and how the others are reached. */
export async function findMemberHost(
  options: MemberFlags & GlobalOptions,
): Promise<{ readonly host: MemberHost; readonly targets: readonly EtcdTarget[] }> {
  const { name, peerUrl, dataDir, walDir } = options;
  if ([name, peerUrl, dataDir, walDir].every((flag) => flag === undefined)) {
    const kubelet = await openManifestHost(options.manifest);
    const { manifest } = kubelet;
    const wanted = { name: manifest.name, peerUrl: manifest.peerUrl, controlsProcess: true };
    const paths = {
      dataDir: manifest.dataDir,
      ...(manifest.walDir === undefined ? {} : { walDir: manifest.walDir }),
    };
    return reach(options, { wanted, paths, kubelet });
  }
  if (name === undefined || peerUrl === undefined || dataDir === undefined) throw flagsMissing();
  if (!URL.canParse(peerUrl)) throw notAUrl(peerUrl);
  const paths = { dataDir, ...(walDir === undefined ? {} : { walDir }) };
  return reach(options, { wanted: { name, peerUrl, controlsProcess: false }, paths });
}

async function reach(
  options: GlobalOptions,
  member: Pick<MemberHost, "wanted" | "paths" | "kubelet">,
): Promise<{ readonly host: MemberHost; readonly targets: readonly EtcdTarget[] }> {
  const { discoverEtcd } = await import("../adapters/discovery.js");
  const { openEtcdMembers } = await import("../adapters/etcd-members.js");
  const found = discoverEtcd(options, process.env).targets;
  const [common] = found;
  if (common === undefined) throw new Error("no endpoint was found");
  const { kubelet } = member;
  const isGiven = options.endpoints !== undefined || options.endpoint !== undefined;
  const targets =
    kubelet === undefined
      ? found
      : [...withoutOwn(found, kubelet), ...(isGiven ? [] : peersOf(kubelet, common))];
  if (targets.length === 0) throw nobodyElse(kubelet?.file.path ?? "");
  const open = (endpoint: string) => openEtcdMembers({ ...common, endpoint });
  return { host: { ...member, endpoints: targets.map(({ endpoint }) => endpoint), open }, targets };
}

/** This host's own etcd knows nothing of the cluster, or, started as a new one, the wrong thing. */
function withoutOwn(targets: readonly EtcdTarget[], { manifest }: ManifestHost): readonly EtcdTarget[] {
  const own = new Set(manifest.clientUrls.map((url) => url.replace(/\/+$/, "")));
  return targets.filter(({ endpoint }) => !own.has(endpoint));
}

const CLIENT_PORT = 2379;

/** kubeadm's members listen for clients where they listen for each other. */
function peersOf({ manifest }: ManifestHost, common: EtcdTarget): readonly EtcdTarget[] {
  const scheme = manifest.clientUrls.some((url) => url.startsWith("https://")) ? "https" : "http";
  return manifest.peerHosts.map((host) => ({ ...common, endpoint: `${scheme}://${host}:${CLIENT_PORT}` }));
}

function flagsMissing(): EtcdcidrError {
  return new EtcdcidrError("usage", {
    what: "it is not known which member is to be brought back",
    why: "--name, --peer-url and --data-dir belong together, and not all of them are given",
    now: NOTHING_WRITTEN,
    next: "give all three as etcd of this host has them, or none where it has a manifest",
  });
}

function notAUrl(peerUrl: string): EtcdcidrError {
  return new EtcdcidrError("usage", {
    what: `--peer-url ${peerUrl} cannot be used`,
    why: "it is no URL",
    now: NOTHING_WRITTEN,
    next: "give it as https://10.0.0.1:2380",
  });
}

function nobodyElse(manifest: string): EtcdcidrError {
  return new EtcdcidrError("usage", {
    what: "no other member of etcd is known",
    why: `${manifest} names no other peer, and this host's own etcd cannot tell`,
    now: NOTHING_WRITTEN,
    next: "give the client URLs of the other members with --endpoints",
  });
}

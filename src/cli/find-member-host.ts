import type { EtcdTarget } from "../adapters/etcd.js";
import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import type { GlobalOptions } from "./global-options.js";
import type { MemberHost } from "./member-host.js";
import { openManifestOf, openSupervisor } from "./open-supervisor.js";
import type { Supervisor } from "./supervisor.js";

/** The flags that say which member this host's is. */
export interface MemberFlags {
  readonly name?: string;
  readonly peerUrl?: string;
  readonly dataDir?: string;
  readonly walDir?: string;
  readonly manifest?: string;
  readonly manifestFrom?: string;
  readonly unit?: string;
}

/** The member by its flags, which then are all given, or else by what starts it; and how the others are reached. */
export async function findMemberHost(
  options: MemberFlags & GlobalOptions,
): Promise<{ readonly host: MemberHost; readonly targets: readonly EtcdTarget[] }> {
  const supervisor = await findSupervisor(options);
  if (supervisor !== undefined) return reach(options, supervisedMember(supervisor));
  const { name, peerUrl, dataDir, walDir } = options;
  if (name === undefined || peerUrl === undefined || dataDir === undefined) throw flagsMissing();
  if (options.manifest !== undefined || options.unit !== undefined) throw toldTwice();
  if (!URL.canParse(peerUrl)) throw notAUrl(peerUrl);
  const paths = { dataDir, ...(walDir === undefined ? {} : { walDir }) };
  return reach(options, { wanted: { name, peerUrl, controlsProcess: false }, paths });
}

/** Undefined where the member is told by its flags. */
async function findSupervisor(options: MemberFlags): Promise<Supervisor | undefined> {
  const { name, peerUrl, dataDir, walDir, manifest, manifestFrom, unit } = options;
  const isTold = [name, peerUrl, dataDir, walDir].some((flag) => flag !== undefined);
  if (manifestFrom === undefined) return isTold ? undefined : openSupervisor(options);
  if (name === undefined || peerUrl === undefined) throw ownMissing();
  if (dataDir !== undefined || walDir !== undefined || unit !== undefined) throw toldTwice();
  if (!URL.canParse(peerUrl)) throw notAUrl(peerUrl);
  return openManifestOf({ copy: manifestFrom, name, peerUrl }, manifest);
}

function supervisedMember(supervisor: Supervisor): Pick<MemberHost, "wanted" | "paths" | "supervisor"> {
  const { name, peerUrl, dataDir, walDir } = supervisor.configuration;
  const paths = { dataDir, ...(walDir === undefined ? {} : { walDir }) };
  return { wanted: { name, peerUrl, controlsProcess: true }, paths, supervisor };
}

async function reach(
  options: GlobalOptions,
  member: Pick<MemberHost, "wanted" | "paths" | "supervisor">,
): Promise<{ readonly host: MemberHost; readonly targets: readonly EtcdTarget[] }> {
  const { discoverEtcd } = await import("../adapters/discovery.js");
  const { openEtcdMembers } = await import("../adapters/etcd-members.js");
  const found = discoverEtcd(options, process.env).targets;
  const [common] = found;
  if (common === undefined) throw new Error("no endpoint was found");
  const { supervisor } = member;
  const isGiven = options.endpoints !== undefined || options.endpoint !== undefined;
  const targets =
    supervisor === undefined
      ? found
      : [...withoutOwn(found, supervisor), ...(isGiven ? [] : peersOf(supervisor, common))];
  if (targets.length === 0) throw nobodyElse(supervisor?.path ?? "");
  const open = (endpoint: string) => openEtcdMembers({ ...common, endpoint });
  return { host: { ...member, endpoints: targets.map(({ endpoint }) => endpoint), open }, targets };
}

/** This host's own etcd knows nothing of the cluster, or, started as a new one, the wrong thing. */
function withoutOwn(targets: readonly EtcdTarget[], { configuration }: Supervisor): readonly EtcdTarget[] {
  const own = new Set(configuration.clientUrls.map((url) => url.replace(/\/+$/, "")));
  return targets.filter(({ endpoint }) => !own.has(endpoint));
}

const CLIENT_PORT = 2379;

/** The members of kubeadm and kubespray listen for clients where they listen for each other. */
function peersOf({ configuration }: Supervisor, common: EtcdTarget): readonly EtcdTarget[] {
  const scheme = configuration.clientUrls.some((url) => url.startsWith("https://")) ? "https" : "http";
  return configuration.peerHosts.map((host) => ({
    ...common,
    endpoint: `${scheme}://${host}:${CLIENT_PORT}`,
  }));
}

function flagsMissing(): EtcdcidrError {
  return new EtcdcidrError("usage", {
    what: "it is not known which member is to be brought back",
    why: "--name, --peer-url and --data-dir belong together, and not all of them are given",
    now: NOTHING_WRITTEN,
    next: "give all three as etcd of this host has them, or none where it has a manifest or a unit",
  });
}

function ownMissing(): EtcdcidrError {
  return new EtcdcidrError("usage", {
    what: "it is not known whose manifest is to be made",
    why: "--manifest-from is a peer's, and --name and --peer-url, which say whose it shall be, are not both given",
    now: NOTHING_WRITTEN,
    next: "give this host's name and peer URL, https://10.0.0.3:2380",
  });
}

function toldTwice(): EtcdcidrError {
  return new EtcdcidrError("usage", {
    what: "it is not known who starts etcd",
    why: "with --data-dir it is you, with a manifest the kubelet, with --unit systemd",
    now: NOTHING_WRITTEN,
    next: "leave all of these but one out",
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

function nobodyElse(path: string): EtcdcidrError {
  return new EtcdcidrError("usage", {
    what: "no other member of etcd is known",
    why: `${path} names no other peer, and this host's own etcd cannot tell`,
    now: NOTHING_WRITTEN,
    next: "give the client URLs of the other members with --endpoints",
  });
}

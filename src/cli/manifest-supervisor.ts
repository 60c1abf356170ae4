import { editEtcdManifest, readEtcdManifest } from "../adapters/etcd-manifest.js";
import { manifestFile } from "../adapters/manifest-file.js";
import { manifestOfPeer } from "../adapters/peer-manifest.js";
import { readTextFile } from "../adapters/text-file.js";
import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import type { Supervisor } from "./supervisor.js";

/** A copy of a peer's manifest, for a member that has none, and who that member is. */
export interface PeerCopy {
  readonly copy: string;
  readonly name: string;
  readonly peerUrl: string;
}

/** A kubeadm host: the kubelet starts and stops etcd as its manifest comes and goes. Where there is none it is made of the copy. */
export async function openManifest(path: string, peer?: PeerCopy): Promise<Supervisor> {
  const file = manifestFile(path);
  const made =
    peer === undefined || (await file.exists())
      ? undefined
      : manifestOfPeer(await readTextFile(peer.copy), peer.copy, peer);
  const read = async (): Promise<string> =>
    made === undefined || (await file.exists()) ? file.read() : made;
  const configuration = readEtcdManifest(await read(), path);
  if (peer !== undefined && (configuration.name !== peer.name || configuration.peerUrl !== peer.peerUrl))
    throw anotherMember(path, peer);
  return {
    ...{ path, configuration, memory: { recycles: 0 }, read },
    exists: file.exists,
    edit: editEtcdManifest,
    // With the manifest in its place the kubelet may start etcd at any moment.
    whyItRuns: async () => ((await file.isInPlace()) ? `${path} is in its place` : undefined),
    stop: file.stop,
    start: file.place,
    renderedFor: file.renderedFor,
    backUp: file.backUp,
  };
}

function anotherMember(path: string, { name, peerUrl }: PeerCopy): EtcdcidrError {
  return new EtcdcidrError("refused", {
    what: `${path} is not made anew`,
    why: `it is there already, and not of ${name} at ${peerUrl}`,
    now: NOTHING_WRITTEN,
    next: "leave --manifest-from, --name and --peer-url out, or move the file out of its directory",
  });
}

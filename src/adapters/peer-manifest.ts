import { manifestFlags } from "./discovery-manifest.js";
import { editEtcdManifest, readEtcdManifest } from "./etcd-manifest.js";

/**
 * The manifest of a member, from a copy of a peer's: the peer's host is replaced wherever it stands (kubeadm's annotation too), and
 * its name. The members in `--initial-cluster` stay: they are who can be asked. Throws `refused` as `readEtcdManifest` does.
 */
export function manifestOfPeer(
  text: string,
  path: string,
  own: { readonly name: string; readonly peerUrl: string },
): string {
  const peer = readEtcdManifest(text, path);
  const replaced = text
    .replaceAll(peer.peerUrl, () => own.peerUrl)
    .replaceAll(hostPattern(new URL(peer.peerUrl).hostname), () => new URL(own.peerUrl).hostname);
  const members = manifestFlags(text).get("initial-cluster") ?? "";
  return editEtcdManifest(
    replaced,
    new Map([
      ["name", own.name],
      ["initial-cluster", members],
    ]),
  );
}

/** Not as a part of another name or address. */
function hostPattern(host: string): RegExp {
  return new RegExp(`(?<![\\w.-])${host.replaceAll(/[^\w]/g, "\\$&")}(?![\\w.-])`, "g");
}

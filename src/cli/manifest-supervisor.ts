import { editEtcdManifest, readEtcdManifest } from "../adapters/etcd-manifest.js";
import { type ManifestFile, manifestFile } from "../adapters/manifest-file.js";
import type { Supervisor } from "./supervisor.js";

/** A kubeadm host: the kubelet starts and stops etcd as its manifest comes and goes. */
export async function openManifest(path: string): Promise<Supervisor> {
  const file: ManifestFile = manifestFile(path);
  return {
    path,
    configuration: readEtcdManifest(await file.read(), path),
    memory: { recycles: 0 },
    read: file.read,
    edit: editEtcdManifest,
    // With the manifest in its place the kubelet may start etcd at any moment.
    whyItRuns: async () => ((await file.isInPlace()) ? `${path} is in its place` : undefined),
    stop: file.stop,
    start: file.place,
    renderedFor: file.renderedFor,
    backUp: file.backUp,
  };
}

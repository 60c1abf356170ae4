import { manifestFile } from "../adapters/manifest-file.js";
import { showUnit } from "../adapters/systemd.js";
import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import { openManifest, type PeerCopy } from "./manifest-supervisor.js";
import type { Supervisor } from "./supervisor.js";
import { openUnit } from "./unit-supervisor.js";

const MANIFEST = "/etc/kubernetes/manifests/etcd.yaml";
const UNIT = "etcd";

/** What the flags name; else kubeadm's manifest, else, where there is none, kubespray's unit. */
export async function openSupervisor({
  manifest,
  unit,
}: {
  readonly manifest?: string;
  readonly unit?: string;
}): Promise<Supervisor> {
  if (manifest !== undefined && unit !== undefined) throw two();
  if (unit !== undefined) return openUnit(unit);
  const isUnit = manifest === undefined && !(await manifestFile(MANIFEST).exists()) && (await hasUnit());
  return isUnit ? openUnit(UNIT) : openManifest(manifest ?? MANIFEST);
}

/** kubeadm's manifest, made of a copy of a peer's where there is none. */
export function openManifestOf(peer: PeerCopy, manifest: string | undefined): Promise<Supervisor> {
  return openManifest(manifest ?? MANIFEST, peer);
}

async function hasUnit(): Promise<boolean> {
  return showUnit(UNIT).then(
    ({ isLoaded }) => isLoaded,
    () => false,
  );
}

function two(): EtcdcidrError {
  return new EtcdcidrError("usage", {
    what: "--manifest and --unit exclude each other",
    why: "one of them starts etcd on this host",
    now: NOTHING_WRITTEN,
    next: "leave the other one out",
  });
}

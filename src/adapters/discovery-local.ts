import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import { manifestFlags } from "./discovery-manifest.js";
import { APISERVER_MANIFESTS, findKnownPlace } from "./discovery-paths.js";

/** A value and the flag or variable that it stands in. */
export interface Named {
  readonly name: string;
  readonly value: string;
}

/** Paths of the TLS files. */
export interface FileNames {
  readonly ca?: Named | undefined;
  readonly cert?: Named | undefined;
  readonly key?: Named | undefined;
}

export interface LocalEtcd {
  readonly endpoints: Named;
  readonly files: FileNames;
  readonly source: string;
  readonly prefix?: string | undefined;
}

/** The etcd of the control plane on this host; TLS files that are given go before those that are found. */
export function findLocalEtcd(given: FileNames, root: string): LocalEtcd {
  const found = fromManifest(root) ?? fromKnownPlace(root) ?? loopback(given);
  // A certificate and its key are one thing: never one that is given with one that is found.
  const pair = (given.cert ?? given.key) ? given : found.files;
  return { ...found, files: { ca: given.ca ?? found.files.ca, cert: pair.cert, key: pair.key } };
}

function fromManifest(root: string): LocalEtcd | undefined {
  for (const path of APISERVER_MANIFESTS) {
    const flags = flagsIn(join(root, path), path);
    const servers = flags?.get("etcd-servers");
    if (flags !== undefined && servers !== undefined) {
      const file = (flag: string) => {
        const value = flags.get(flag);
        return value === undefined || value === ""
          ? undefined
          : { name: `--${flag} in ${path}`, value: join(root, value) };
      };
      return {
        endpoints: { name: `--etcd-servers in ${path}`, value: servers },
        files: { ca: file("etcd-cafile"), cert: file("etcd-certfile"), key: file("etcd-keyfile") },
        source: `--etcd-servers in ${path}`,
        prefix: flags.get("etcd-prefix"),
      };
    }
  }
  return undefined;
}

function flagsIn(file: string, path: string): ReadonlyMap<string, string> | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
  try {
    return manifestFlags(text);
  } catch (error) {
    throw new EtcdcidrError(
      "usage",
      {
        what: `${path} cannot be read as a manifest`,
        why: error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error),
        now: NOTHING_WRITTEN,
        next: "mend the manifest, or name the etcd with --endpoints, --cacert, --cert and --key",
      },
      { cause: error },
    );
  }
}

function fromKnownPlace(root: string): LocalEtcd | undefined {
  const place = findKnownPlace(root);
  if (place === undefined) {
    return undefined;
  }
  const name = `known path of ${place.distribution}`;
  const file = (path: string | undefined) =>
    path === undefined ? undefined : { name, value: join(root, path) };
  return {
    endpoints: { name, value: place.endpoint },
    files: { ca: file(place.ca), cert: file(place.cert), key: file(place.key) },
    source: `${name} (${place.ca ?? place.endpoint})`,
  };
}

function loopback(given: FileNames): LocalEtcd {
  const scheme = (given.ca ?? given.cert) ? "https" : "http";
  const value = `${scheme}://127.0.0.1:2379`;
  return { endpoints: { name: "default", value }, files: {}, source: "default, nothing else was found" };
}

/** What the member that a host starts is told by its flags. */
export interface EtcdConfiguration {
  readonly name: string;
  readonly peerUrl: string;
  readonly dataDir: string;
  readonly walDir?: string;
  /** Where this member listens for clients, and where it says that it does. */
  readonly clientUrls: readonly string[];
  /** Hosts of the peer URLs in `--initial-cluster`, as they stand in URLs. */
  readonly peerHosts: readonly string[];
  /** Of etcd here, `3.6.5`. */
  readonly version?: string;
  readonly certificates: readonly CertificateFiles[];
  /** The one of these that it shows the other members. */
  readonly peerCertificate?: CertificateFiles;
}

export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

/** From etcd's flags without their dashes; undefined where they do not say which member it is. */
export function etcdConfiguration(
  flags: ReadonlyMap<string, string>,
  version: string | undefined,
): EtcdConfiguration | undefined {
  const listOf = (flag: string): readonly string[] =>
    (flags.get(flag) ?? "").split(",").filter((part) => part !== "");
  const [name, dataDir, walDir] = ["name", "data-dir", "wal-dir"].map((flag) => flags.get(flag));
  const [peerUrl] = listOf("initial-advertise-peer-urls");
  if (name === undefined || dataDir === undefined || peerUrl === undefined || !URL.canParse(peerUrl))
    return undefined;
  const certificateOf = (side: "" | "peer-"): CertificateFiles | undefined => {
    const [cert, key, ca] = ["cert-file", "key-file", "trusted-ca-file"].map((flag) =>
      flags.get(`${side}${flag}`),
    );
    return cert === undefined || key === undefined || ca === undefined ? undefined : { cert, key, ca };
  };
  const [server, peerCertificate] = [certificateOf(""), certificateOf("peer-")];
  const peers = listOf("initial-cluster").map((entry) => entry.slice(entry.indexOf("=") + 1));
  return {
    ...{ name, dataDir, peerUrl },
    ...(walDir === undefined ? {} : { walDir }),
    ...(version === undefined ? {} : { version }),
    clientUrls: [...listOf("listen-client-urls"), ...listOf("advertise-client-urls")],
    peerHosts: peers
      .filter((url) => URL.canParse(url) && url !== peerUrl)
      .map((url) => new URL(url).hostname),
    certificates: [server, peerCertificate].filter((files) => files !== undefined),
    ...(peerCertificate === undefined ? {} : { peerCertificate }),
  };
}

import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import type { CertificateFacts } from "../reconcile/member/observed.js";
import type { CertificateFiles } from "./etcd-configuration.js";
import { certificatesOf, type PemFile, privateKeyOf } from "./tls.js";

/** What a member's certificate is, for a peer at this URL. Throws `tls` for files that cannot be read as what they are. */
export async function certificateFacts(files: CertificateFiles, peerUrl: string): Promise<CertificateFacts> {
  const [cert, key, ca] = await Promise.all([files.cert, files.key, files.ca].map(readPem));
  if (cert === undefined || key === undefined || ca === undefined) throw new Error("three files were read");
  const [own] = certificatesOf(cert);
  if (own === undefined) throw new Error(`${cert.path} holds a certificate`);
  const host = new URL(peerUrl).hostname.replace(/^\[|\]$/g, "");
  return {
    path: cert.path,
    notBeforeMs: Date.parse(own.validFrom),
    notAfterMs: Date.parse(own.validTo),
    coversPeerHost: (isIP(host) === 0 ? own.checkHost(host) : own.checkIP(host)) !== undefined,
    isOfCa: certificatesOf(ca).some((each) => own.checkIssued(each) && own.verify(each.publicKey)),
    matchesKey: own.checkPrivateKey(privateKeyOf(key)),
  };
}

async function readPem(path: string): Promise<PemFile> {
  try {
    return { path, pem: await readFile(path) };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const next = "run as root; a file that is lost is made anew with kubeadm init phase certs";
    throw new EtcdcidrError(
      "tls",
      { what: `cannot read ${path}`, why, now: NOTHING_WRITTEN, next },
      { cause },
    );
  }
}

import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { rootCertificates } from "node:tls";
import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";

/** A file of certificates or of a private key; the path is what the operator is told about. */
export interface PemFile {
  readonly path: string;
  readonly pem: Buffer;
}

/** What a connection to an https endpoint is made with; without `ca` the system's certificates are trusted. */
export interface TlsFiles {
  readonly ca?: PemFile;
  readonly cert?: PemFile;
  readonly key?: PemFile;
}

/** Refuses, with code `tls`, files that no connection can be made with, naming the file. */
export function checkTlsFiles({ ca, cert, key }: TlsFiles): void {
  if (ca !== undefined) {
    certificatesOf(ca);
  }
  if (cert === undefined && key === undefined) {
    return;
  }
  if (cert === undefined || key === undefined) {
    const [given, missing] = cert === undefined ? ["--key", "--cert"] : ["--cert", "--key"];
    throw unusable(
      `${given} is given without ${missing}`,
      "a client certificate is its certificate and its private key",
      `give both --cert and --key, or neither`,
    );
  }
  if (!certificatesOf(cert)[0]?.checkPrivateKey(privateKeyOf(key))) {
    throw unusable(
      `${key.path} is not the key of ${cert.path}`,
      "the private key and the certificate do not match",
      "give --cert and --key of one pair",
    );
  }
}

/** The certificates of a PEM file, the holder's own first. Throws `tls`. */
export function certificatesOf(file: PemFile): readonly X509Certificate[] {
  const blocks = file.pem.toString("latin1").match(PEM_CERTIFICATE) ?? [];
  try {
    const certificates = blocks.map((block) => new X509Certificate(block));
    if (certificates.length > 0) {
      return certificates;
    }
  } catch {
    // Said below, as for a file without any certificate.
  }
  throw unusable(
    `${file.path} cannot be read as a certificate`,
    blocks.length === 0 ? "it holds no PEM certificate" : "a certificate in it is damaged",
    "give a file with PEM certificates",
  );
}

/** The certificates that are trusted when no CA is given. */
export function trustedCertificates(): Buffer {
  return Buffer.from(rootCertificates.join("\n"));
}

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** The private key of a PEM file. Throws `tls`. */
export function privateKeyOf(file: PemFile): KeyObject {
  try {
    return createPrivateKey(file.pem);
  } catch (error) {
    const encrypted = file.pem.includes("ENCRYPTED");
    throw unusable(
      `${file.path} cannot be read as a private key`,
      encrypted ? "it is encrypted" : "it holds no PEM private key",
      encrypted ? "give an unencrypted key" : "give the PEM file of the private key",
      { cause: error },
    );
  }
}

function unusable(what: string, why: string, next: string, options?: ErrorOptions): EtcdcidrError {
  return new EtcdcidrError("tls", { what, why, now: NOTHING_WRITTEN, next }, options);
}

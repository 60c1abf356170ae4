import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PemFile } from "../../src/adapters/tls.js";

export const hasOpenssl: boolean = spawnSync("openssl", ["version"]).status === 0;

/** A temporary folder of certificates made with openssl: `NAME.crt` and `NAME.key`. */
export interface Certificates {
  readonly folder: string;
  /** A CA that signs itself. */
  ca(name: string): void;
  /** A certificate of the CA; `days` may be negative. */
  sign(name: string, ca: string, options?: CertificateOptions): void;
  file(name: string): PemFile;
  remove(): void;
}

export interface CertificateOptions {
  readonly subjectAltName?: string;
  readonly extendedKeyUsage?: string;
  readonly days?: number;
}

export function certificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), "etcdcidr-tls-"));
  const openssl = (...args: string[]): void => {
    const { status, stderr } = spawnSync("openssl", args, { cwd: folder, encoding: "utf8" });
    if (status !== 0) throw new Error(`openssl ${args.join(" ")}\n${stderr}`);
  };
  const newKey = (name: string): string[] => [
    ...["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
    ...["-keyout", `${name}.key`, "-subj", `/O=etcdcidr/CN=${name}`],
  ];
  return {
    folder,
    ca: (name) => openssl("req", "-x509", ...newKey(name), "-out", `${name}.crt`, "-days", "2"),
    sign: (name, ca, { subjectAltName = "IP:127.0.0.1", extendedKeyUsage, days = 2 } = {}) => {
      const usage = extendedKeyUsage ?? "serverAuth,clientAuth";
      writeFileSync(
        join(folder, `${name}.ext`),
        `subjectAltName=${subjectAltName}\nextendedKeyUsage=${usage}\n`,
      );
      openssl("req", "-new", ...newKey(name), "-out", `${name}.csr`);
      openssl(
        ...["x509", "-req", "-in", `${name}.csr`, "-CA", `${ca}.crt`, "-CAkey", `${ca}.key`],
        ...["-CAcreateserial", "-days", String(days), "-extfile", `${name}.ext`, "-out", `${name}.crt`],
      );
    },
    file: (name) => ({ path: join(folder, name), pem: readFileSync(join(folder, name)) }),
    remove: () => rmSync(folder, { recursive: true }),
  };
}

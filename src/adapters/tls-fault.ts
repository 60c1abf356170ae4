import type { X509Certificate } from "node:crypto";
import { certificatesOf, type TlsFiles } from "./tls.js";

export interface TlsFault {
  readonly why: string;
  readonly next: string;
}

/**
 * What is wrong when a TLS handshake fails with `details` (gRPC's text), or nothing when that is not what failed.
 * etcd answers a missing, a foreign and an expired client certificate alike (alert 42), so ours is looked at.
 * `now` is in milliseconds; `server` is the server's certificate where it is known.
 */
export function tlsFault(
  details: string,
  files: TlsFiles,
  now: number,
  server?: X509Certificate,
): TlsFault | undefined {
  const fault = SERVER_FAULTS.find(({ text }) => text.test(details));
  if (fault !== undefined) {
    const name = server === undefined ? "" : ` ${nameOf(server.subject)}`;
    return { why: `the server's certificate${name} ${fault.why(files, server)}`, next: fault.next };
  }
  return CLIENT_REFUSED.test(details) ? clientFault(files, now) : undefined;
}

const CLIENT_REFUSED =
  /SSL alert number (40|42|43|44|45|46|48|116)|alert (bad certificate|certificate required|unknown ca)/;

const SERVER_FAULTS: readonly {
  readonly text: RegExp;
  readonly why: (files: TlsFiles, server?: X509Certificate) => string;
  readonly next: string;
}[] = [
  {
    text: /Error: certificate has expired/,
    why: (_files, server) => `has expired${server === undefined ? "" : ` (${server.validTo})`}`,
    next: "renew etcd's server certificate (kubeadm certs renew etcd-server) and restart etcd",
  },
  {
    text: /Error: certificate is not yet valid/,
    why: (_files, server) => `is not valid ${server === undefined ? "yet" : `before ${server.validFrom}`}`,
    next: "compare the clocks of this host and of the server",
  },
  {
    text: /ERR_TLS_CERT_ALTNAME_INVALID/,
    why: (_files, server) =>
      `is for another host name or address${server === undefined ? "" : ` (${server.subjectAltName ?? "it names none"})`}`,
    next: "use an endpoint that the certificate names",
  },
  {
    text: /unable to verify the first certificate|unable to get (local )?issuer certificate|self[- ]signed certificate|certificate signature failure/,
    why: ({ ca }, server) => {
      const issuer = server === undefined ? undefined : nameOf(server.issuer);
      return ca === undefined
        ? `is signed by ${issuer === undefined ? "" : `${issuer}, `}a CA that this system does not trust, and no --cacert is given`
        : `is not signed by the CA in ${ca.path}${issuer === undefined ? "" : ` but by ${issuer}`}`;
    },
    next: "give the CA of etcd's server certificate with --cacert (kubeadm: /etc/kubernetes/pki/etcd/ca.crt)",
  },
];

const CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";

function clientFault({ ca, cert }: TlsFiles, now: number): TlsFault {
  if (cert === undefined) {
    return {
      why: "the server asks for a client certificate and none is given",
      next: "give --cert and --key (kubeadm: /etc/kubernetes/pki/apiserver-etcd-client.crt and .key)",
    };
  }
  const [own] = certificatesOf(cert);
  if (own === undefined) {
    return refused(cert.path);
  }
  if (Date.parse(own.validTo) < now) {
    return {
      why: `the server refuses the client certificate ${cert.path}: it has expired (${own.validTo})`,
      next: "renew the client certificate (kubeadm certs renew apiserver-etcd-client)",
    };
  }
  if (Date.parse(own.validFrom) > now) {
    return {
      why: `the server refuses the client certificate ${cert.path}: it is not valid before ${own.validFrom}`,
      next: "compare the clocks of this host and of the server",
    };
  }
  if (own.keyUsage !== undefined && !own.keyUsage.includes(CLIENT_AUTH)) {
    return {
      why: `the server refuses the client certificate ${cert.path}: it is not made for clients (no clientAuth in its extended key usage)`,
      next: "give a client certificate with --cert and --key",
    };
  }
  if (ca !== undefined && !certificatesOf(ca).some((authority) => isIssuer(authority, own))) {
    return {
      why: `the server refuses the client certificate ${cert.path}: it is not signed by the CA in ${ca.path} but by ${nameOf(own.issuer)}`,
      next: "give a client certificate signed by the CA that etcd trusts (its --trusted-ca-file)",
    };
  }
  return refused(cert.path);
}

function refused(path: string): TlsFault {
  return {
    why: `the server refuses the client certificate ${path}`,
    next: "give a client certificate signed by the CA that etcd trusts (its --trusted-ca-file)",
  };
}

function isIssuer(authority: X509Certificate, certificate: X509Certificate): boolean {
  return certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
}

/** A distinguished name, which Node gives one attribute a line, on one line. */
function nameOf(distinguishedName: string): string {
  return distinguishedName.replaceAll("\n", ", ");
}

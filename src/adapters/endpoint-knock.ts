import type { X509Certificate } from "node:crypto";
import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { EtcdTarget } from "./etcd.js";

/** A fault is known already: what is found out beyond it must not cost the operator much time. */
const PATIENCE_MS = 500;

/** Whether somebody takes connections there, be it a kernel for a process that is frozen. */
export function takesConnections({ endpoint, dialTimeoutMs }: EtcdTarget): Promise<boolean> {
  const socket = endpoint.startsWith("unix://")
    ? connect(endpoint.slice("unix://".length))
    : connect(placeOf(endpoint));
  return waitFor(socket, "connect", dialTimeoutMs);
}

/** The certificate that the server shows, whoever signed it. */
export async function serverCertificate({
  endpoint,
  dialTimeoutMs,
}: EtcdTarget): Promise<X509Certificate | undefined> {
  const { host, port } = placeOf(endpoint);
  const name = isIP(host) === 0 ? { servername: host } : {};
  // Nothing is sent over this connection, so nobody needs to be trusted.
  const socket = connectTls({ host, port, rejectUnauthorized: false, ...name });
  let certificate: X509Certificate | undefined;
  socket.once("secureConnect", () => {
    certificate = socket.getPeerX509Certificate();
  });
  await waitFor(socket, "secureConnect", dialTimeoutMs);
  return certificate;
}

function placeOf(endpoint: string): { readonly host: string; readonly port: number } {
  const { hostname, port, protocol } = new URL(endpoint);
  const standard = protocol === "https:" ? 443 : 80;
  return { host: hostname.replace(/^\[|\]$/g, ""), port: port === "" ? standard : Number(port) };
}

function waitFor(socket: Socket, event: string, dialTimeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (happened: boolean): void => {
      socket.destroy();
      resolve(happened);
    };
    socket.setTimeout(Math.min(dialTimeoutMs, PATIENCE_MS), () => end(false));
    socket.once(event, () => end(true));
    socket.on("error", () => end(false));
  });
}

// Starts kube-apiserver.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { freePorts } from "../ports.mjs";
import { openApi } from "./api.mjs";
import { startComponent } from "./component.mjs";
import { writeKubeconfig } from "./credentials.mjs";

const READY_WITHIN_MS = 60_000;
/** Nobody connects to it; a loopback address is refused in the EndpointSlice of the Service `kubernetes`. */
const ADVERTISED = "192.0.2.10";

/**
 * Starts a kube-apiserver over a store and returns when `/readyz` says ok. It makes a certificate in its own folder, the only
 * one our client trusts: what answers is this very server.
 * @param {{ binaries: string, folder: string, storeUrl: string, credentials: object, serviceCidr: string, port?: number,
 *   flags?: readonly string[] }} options
 */
export async function startApiServer({
  binaries,
  folder,
  storeUrl,
  credentials,
  serviceCidr,
  port,
  flags = [],
}) {
  const certificates = join(folder, "api-server");
  const [free] = await freePorts(1);
  const url = `https://127.0.0.1:${port ?? free}`;
  const component = startComponent(
    join(binaries, "kube-apiserver"),
    [
      `--etcd-servers=${storeUrl}`,
      "--bind-address=127.0.0.1",
      `--secure-port=${port ?? free}`,
      `--advertise-address=${ADVERTISED}`,
      `--cert-dir=${certificates}`,
      `--service-cluster-ip-range=${serviceCidr}`,
      `--token-auth-file=${credentials.tokens}`,
      "--authorization-mode=AlwaysAllow",
      "--service-account-issuer=https://kubernetes.default.svc",
      `--service-account-signing-key-file=${credentials.serviceAccountKey}`,
      `--service-account-key-file=${credentials.serviceAccountPublicKey}`,
      // Nobody makes ServiceAccounts before the first Pod.
      "--disable-admission-plugins=ServiceAccount",
      "--allow-privileged=true",
      ...flags,
    ],
    join(folder, "kube-apiserver.log"),
  );
  const certificate = join(certificates, "apiserver.crt");
  await component.ready(() => existsSync(certificate), READY_WITHIN_MS);
  const server = { url, token: credentials.token, ca: readFileSync(certificate, "utf8") };
  const api = openApi(server);
  await component.ready(() => answersReady(api), READY_WITHIN_MS);
  return {
    component,
    api,
    url,
    kubeconfig: writeKubeconfig(folder, server),
    async stop() {
      api.close();
      await component.stop("SIGKILL");
    },
  };
}

async function answersReady(api) {
  try {
    return (await api.request("GET", "/readyz")).body === "ok";
  } catch {
    return false;
  }
}

// One control plane on loopback: a store, kube-apiserver over it, and the clients of that as they are asked for.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApiServer } from "./api-server.mjs";
import { startControllerManager, startScheduler } from "./controller-manager.mjs";
import { writeCredentials, writeEncryption } from "./credentials.mjs";
import { startStore } from "./store.mjs";

const LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager";

/**
 * Starts store and kube-apiserver, and returns when both are ready: a few seconds. Everything lies in one folder, and goes
 * with it.
 * @param {{ kubernetes: string, store: { etcd: string } | { kine: string }, serviceCidr: string, port?: number,
 *   encryption?: string, folder?: string }} options folders and files of binaries; `port` is kube-apiserver's, a free one
 *   by default; `folder` is there already, a fresh one by default
 */
export async function startControlPlane({
  kubernetes,
  store,
  serviceCidr,
  port,
  encryption,
  folder = mkdtempSync(join(tmpdir(), "etcdcidr-control-plane-")),
}) {
  const base = { binaries: kubernetes, folder, serviceCidr, credentials: writeCredentials(folder) };
  const started = [];
  const remember = (each) => {
    started.push(each);
    return each;
  };
  const stop = async () => {
    for (const each of started.toReversed()) await each.stop("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const { url: storeUrl } = remember(await startStore(store, folder));
    const startApi = async (provider) =>
      remember(await startApiServer({ ...base, storeUrl, port, flags: encryptionFlags(folder, provider) }));
    let apiServer = await startApi(encryption);
    const client = () => ({ ...base, kubeconfig: apiServer.kubeconfig });
    return {
      folder,
      storeUrl,
      get api() {
        return apiServer.api;
      },
      get kubeconfig() {
        return apiServer.kubeconfig;
      },
      /** With the Lease that every cluster has. Whether it stays up is for the caller to see. */
      async startControllerManager(clusterCidr, flags) {
        // An earlier one leaves its Lease behind, for which the next would wait until it has run out.
        await apiServer.api.request("DELETE", LEASE);
        return remember(await startControllerManager({ ...client(), clusterCidr, flags }));
      },
      startScheduler: async () => remember(await startScheduler(client())),
      /** The same store under a kube-apiserver that encrypts with this provider, or does not. */
      async restartApiServer(provider) {
        await apiServer.stop();
        apiServer = await startApi(provider);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function encryptionFlags(folder, provider) {
  return provider === undefined ? [] : [`--encryption-provider-config=${writeEncryption(folder, provider)}`];
}

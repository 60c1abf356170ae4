// One control plane on loopback: a store, kube-apiserver over it, and the clients of that as they are asked for.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApiServer } from "./api-server.mjs";
import { startControllerManager, startScheduler } from "./controller-manager.mjs";
import { writeCredentials, writeEncryption } from "./credentials.mjs";
import { startStore } from "./store.mjs";

const LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager";

/**
 * Starts store and kube-apiserver, and returns when both are ready: a few seconds. Everything lies in a fresh folder.
 * @param {{ kubernetes: string, store: { etcd: string } | { kine: string }, serviceCidr: string, port?: number,
 *   encryption?: string }} options folders and files of binaries; `port` is kube-apiserver's, a free one by default
 */
export async function startControlPlane({ kubernetes, store: binaries, serviceCidr, port, encryption }) {
  const folder = mkdtempSync(join(tmpdir(), "etcdcidr-control-plane-"));
  const credentials = writeCredentials(folder);
  const running = new Set();
  let store;
  let apiServer;
  const clientOptions = () => ({
    binaries: kubernetes,
    folder,
    credentials,
    serviceCidr,
    kubeconfig: apiServer.kubeconfig,
  });
  const remember = (component) => {
    running.add(component);
    return component;
  };
  async function startApi(withEncryption) {
    const flags =
      withEncryption === undefined
        ? []
        : [`--encryption-provider-config=${writeEncryption(folder, withEncryption)}`];
    apiServer = await startApiServer({
      ...{ binaries: kubernetes, folder, credentials, serviceCidr, port, flags },
      storeUrl: store.url,
    });
  }
  async function stop() {
    await Promise.all([...running].map((component) => component.stop("SIGKILL")));
    await apiServer?.stop();
    await store?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  try {
    const storeFolder = join(folder, "store");
    mkdirSync(storeFolder);
    store = await startStore(binaries, storeFolder);
    await startApi(encryption);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    folder,
    storeUrl: store.url,
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
      return remember(await startControllerManager({ ...clientOptions(), clusterCidr, flags }));
    },
    startScheduler: async () => remember(await startScheduler(clientOptions())),
    /** The same store under a kube-apiserver that encrypts, or does not. */
    async restartApiServer(withEncryption) {
      await apiServer.stop();
      await startApi(withEncryption);
    },
    stop,
  };
}

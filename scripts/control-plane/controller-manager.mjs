// Starts kube-controller-manager and kube-scheduler, the clients of kube-apiserver.
import { join } from "node:path";
import { freePorts } from "../ports.mjs";
import { startComponent } from "./component.mjs";

/** There are no kubelets: a Node without a heartbeat is none that has failed. */
const CONTROLLERS = "--controllers=*,-node-lifecycle-controller";

/**
 * Starts a kube-controller-manager that allocates blocks; whether it stays up is for the caller to see.
 * @param {{ binaries: string, folder: string, kubeconfig: string, credentials: object, serviceCidr: string,
 *   clusterCidr: string, flags?: readonly string[] }} options `flags`: the node masks, for one
 */
export async function startControllerManager({
  binaries,
  folder,
  kubeconfig,
  credentials,
  serviceCidr,
  clusterCidr,
  flags = [],
}) {
  return await startClient("kube-controller-manager", { binaries, folder, kubeconfig }, [
    "--leader-elect=true",
    "--allocate-node-cidrs",
    `--cluster-cidr=${clusterCidr}`,
    `--service-cluster-ip-range=${serviceCidr}`,
    `--service-account-private-key-file=${credentials.serviceAccountKey}`,
    CONTROLLERS,
    ...flags,
  ]);
}

/** @param {{ binaries: string, folder: string, kubeconfig: string }} options */
export async function startScheduler(options) {
  return await startClient("kube-scheduler", options, ["--leader-elect=false"]);
}

async function startClient(name, { binaries, folder, kubeconfig }, flags) {
  const [port] = await freePorts(1);
  const args = [
    `--kubeconfig=${kubeconfig}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    `--cert-dir=${join(folder, name)}`,
    ...flags,
  ];
  return startComponent(join(binaries, name), args, join(folder, `${name}.log`));
}

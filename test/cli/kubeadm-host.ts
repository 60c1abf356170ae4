import { type CliRun, runCli } from "../harness/cli.js";
import { type Kubelet, startKubelet } from "../harness/kubelet.js";
import { type HostSetUpAgain, hostSetUpAgain, startedAlone } from "./readd-scene.js";

export interface KubeadmHost extends HostSetUpAgain {
  readonly kubelet: Kubelet;
  readd(...more: readonly string[]): Promise<CliRun>;
}

/** As kubeadm sets up a first control-plane host, whose etcd has started a cluster of its own. */
export async function kubeadmHost(tls: readonly string[] = []): Promise<KubeadmHost> {
  const host = await hostSetUpAgain(tls);
  const kubelet = startKubelet(host.etcd);
  const readdArgs = [...host.readdArgs, "--manifest", kubelet.manifest];
  await startedAlone(kubelet);
  return { ...host, readdArgs, kubelet, readd: (...more) => runCli([...readdArgs, "--yes", ...more]) };
}

import type { StoredObject } from "../schema/schema.js";
import { parseYaml } from "../storage/yaml.js";
import { type Fields, stringAt, stringsAt } from "./fields.js";

/** The part of ConfigMap kube-system/kubelet-config that concerns the service network. */
export interface KubeletConfig {
  readonly key: string;
  /** What Pods are given as their name servers. */
  readonly clusterDns: readonly string[];
}

/** kubeadm before 1.24 has one for each minor version, which is not read. */
export function readKubeletConfig(key: string, { object }: StoredObject): KubeletConfig {
  const configuration = parseYaml(stringAt(object, "data", "kubelet") ?? "") as Fields | null;
  return { key, clusterDns: stringsAt(configuration, "clusterDNS") };
}

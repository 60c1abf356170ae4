import type { StoredObject } from "../schema/schema.js";
import { parseYaml } from "../storage/yaml.js";
import { type Fields, recordsAt, stringAt, valueAt } from "./fields.js";

/** The part of ConfigMap kube-system/kubeadm-config that concerns ranges. */
export interface KubeadmConfig {
  readonly key: string;
  readonly clusterName?: string;
  /** As written, possibly two with a comma. */
  readonly podSubnet?: string;
  readonly serviceSubnet?: string;
  /** kube-controller-manager's extra arguments, name -> value. */
  readonly controllerManagerArgs: ReadonlyMap<string, string>;
}

export function readKubeadmConfig(key: string, { object }: StoredObject): KubeadmConfig {
  const configuration = parseYaml(stringAt(object, "data", "ClusterConfiguration") ?? "") as Fields | null;
  const clusterName = stringAt(configuration, "clusterName");
  const podSubnet = stringAt(configuration, "networking", "podSubnet");
  const serviceSubnet = stringAt(configuration, "networking", "serviceSubnet");
  return {
    key,
    controllerManagerArgs: readExtraArgs(configuration),
    ...(clusterName === undefined ? {} : { clusterName }),
    ...(podSubnet === undefined ? {} : { podSubnet }),
    ...(serviceSubnet === undefined ? {} : { serviceSubnet }),
  };
}

/** A list of {name, value} since kubeadm.k8s.io/v1beta4, a map before. */
function readExtraArgs(configuration: Fields | null): Map<string, string> {
  const list = recordsAt(configuration, "controllerManager", "extraArgs");
  if (list.length > 0) {
    return new Map(list.map((entry) => [stringAt(entry, "name") ?? "", String(entry["value"] ?? "")]));
  }
  const map = valueAt(configuration, "controllerManager", "extraArgs");
  if (typeof map !== "object" || map === null || Array.isArray(map)) return new Map();
  return new Map(Object.entries(map).map(([name, value]) => [name, String(value)]));
}

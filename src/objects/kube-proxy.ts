import type { StoredObject } from "../schema/schema.js";
import { parseYaml } from "../storage/yaml.js";
import { type Fields, stringAt } from "./fields.js";

/** The part of ConfigMap kube-system/kube-proxy that concerns the pod network. */
export interface KubeProxyConfig {
  readonly key: string;
  readonly clusterCidr?: string;
  readonly detectLocalMode?: string;
}

export function readKubeProxyConfig(key: string, { object }: StoredObject): KubeProxyConfig {
  const configuration = parseYaml(stringAt(object, "data", "config.conf") ?? "") as Fields | null;
  const clusterCidr = stringAt(configuration, "clusterCIDR");
  const detectLocalMode = stringAt(configuration, "detectLocalMode");
  return {
    key,
    ...(clusterCidr === undefined ? {} : { clusterCidr }),
    ...(detectLocalMode === undefined ? {} : { detectLocalMode }),
  };
}

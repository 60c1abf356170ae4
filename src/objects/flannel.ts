import type { StoredObject } from "../schema/schema.js";
import { type Fields, stringAt } from "./fields.js";

/** flannel's `net-conf.json` in ConfigMap kube-flannel-cfg. */
export interface FlannelConfig {
  readonly key: string;
  readonly network?: string;
  readonly ipv6Network?: string;
}

export function readFlannelConfig(key: string, { object }: StoredObject): FlannelConfig {
  const configuration = JSON.parse(stringAt(object, "data", "net-conf.json") ?? "{}") as Fields;
  const network = stringAt(configuration, "Network");
  const ipv6Network = stringAt(configuration, "IPv6Network");
  return {
    key,
    ...(network === undefined ? {} : { network }),
    ...(ipv6Network === undefined ? {} : { ipv6Network }),
  };
}

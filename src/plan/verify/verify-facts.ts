import type { CalicoBlock } from "../../objects/calico.js";
import type { IpAddressFacts } from "../../objects/ip-address.js";
import type { KubeletConfig } from "../../objects/kubelet.js";
import type { ServiceFacts } from "../../objects/service.js";
import type { RangeAllocationFacts, ServiceCidrFacts } from "../../objects/service-range.js";
import type { ReadSet, Unreadable } from "../read-set.js";
import type { Strays } from "./stray-addresses.js";

/** What the checks look at, besides the read set that a change is planned on. */
export interface VerifyFacts {
  readonly readSet: ReadSet;
  readonly kubelet?: KubeletConfig;
  readonly serviceCidrs: readonly ServiceCidrFacts[];
  readonly allocations: readonly RangeAllocationFacts[];
  readonly services: readonly ServiceFacts[];
  readonly ipAddresses: readonly IpAddressFacts[];
  readonly calicoBlocks: readonly CalicoBlock[];
  readonly strayPods: Strays;
  readonly strayEndpoints: Strays;
  /** Of both passes over the store. */
  readonly unreadable: readonly Unreadable[];
}

/** What the operator asked for: the ranges as they should be; empty = what the cluster itself says. */
export interface VerifyIntent {
  readonly podCidrs: readonly string[];
  readonly serviceCidrs: readonly string[];
}

import { parseAddress } from "../../../src/cidr/parse.js";
import type { PodAddress } from "../../../src/objects/pod-tally.js";
import type { ServiceFacts } from "../../../src/objects/service.js";
import { podBlocks } from "../../../src/plan/verify/pod-blocks.js";
import { createStrayCounter } from "../../../src/plan/verify/stray-addresses.js";
import { type Verdict, verifyCluster } from "../../../src/plan/verify/verify-cluster.js";
import type { VerifyFacts, VerifyIntent } from "../../../src/plan/verify/verify-facts.js";
import type { ClusterBuilder } from "../../harness/read-set.js";

/** What a cluster has besides its read set; a Pod or endpoint is `name node address...`. */
export type Rest = Partial<Omit<VerifyFacts, "readSet" | "strayPods" | "strayEndpoints">> & {
  readonly pods?: readonly string[];
  readonly endpoints?: readonly string[];
};

export function verdictOver(
  builder: ClusterBuilder,
  intent: Partial<VerifyIntent> = {},
  rest: Rest = {},
): Verdict {
  const readSet = builder.build();
  const { pods = [], endpoints = [], ...facts } = rest;
  const count = (lines: readonly string[]) => {
    const counter = createStrayCounter(podBlocks(readSet));
    for (const line of lines) {
      const [name = "", node = "", ...addresses] = line.split(" ");
      counter.add(
        node,
        addresses.map((text) => podAddress(name, text)),
        name,
      );
    }
    return counter;
  };
  return verifyCluster(
    { podCidrs: [], serviceCidrs: [], ...intent },
    {
      readSet,
      serviceCidrs: [],
      allocations: [],
      services: [],
      ipAddresses: [],
      calicoBlocks: [],
      unreadable: readSet.unreadable,
      ...facts,
      strayPods: count(pods),
      strayEndpoints: count(endpoints),
    },
  );
}

function podAddress(pod: string, text: string): PodAddress {
  return { pod, ...parseAddress(text) };
}

/** `default/web 10.96.0.7` */
export function service(name: string, ...clusterIps: string[]): ServiceFacts {
  return { name, clusterIp: clusterIps[0] ?? "", clusterIps };
}

/** `ok node-pair`, `differs node-range: n1 10.1.0.0/24; n2 has no block`; only those of some checks where they are named. */
export function linesOf({ checks }: Verdict, ...only: string[]): string[] {
  return checks
    .filter(({ check }) => only.length === 0 || only.includes(check))
    .map(({ check, result, values, details }) => {
      const more = result === "cannot tell" ? [values, ...details] : details;
      return [`${result} ${check}`, ...(more.length === 0 ? [] : [more.join("; ")])].join(": ");
    });
}

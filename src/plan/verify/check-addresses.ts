import { count } from "../findings/finding.js";
import { compareNaturally } from "../natural-order.js";
import { type Check, cannotTell, judge } from "./check.js";
import type { PodBlocks } from "./pod-blocks.js";
import type { Strays } from "./stray-addresses.js";
import type { VerifyFacts } from "./verify-facts.js";

/** Pods, and EndpointSlices that lead to Pods, against the blocks of their nodes. */
export function checkAddresses({ strayPods, strayEndpoints }: VerifyFacts, blocks: PodBlocks): Check[] {
  return [
    ...checkStrays("pod-addresses", "Pods", "Pod", strayPods, blocks),
    ...checkStrays("endpoint-addresses", "EndpointSlices", "endpoint", strayEndpoints, blocks),
  ];
}

function checkStrays(check: string, where: string, noun: string, strays: Strays, blocks: PodBlocks): Check[] {
  if (strays.checked === 0) return [];
  if (blocks.kind === "unknown") return [cannotTell(check, where, blocks.why)];
  const nodes = [...strays.byNode].sort(([left], [right]) => compareNaturally(left, right));
  const faults = nodes.map(([node, { count: number, examples }]) => {
    const place = node === "" ? "on no node" : `on ${node}`;
    const more = number > examples.length ? ", ..." : "";
    return `${place}: ${count(number, noun)} (${examples.join(", ")}${more})`;
  });
  const outside = nodes.reduce((sum, [, { count: number }]) => sum + number, 0);
  return [
    judge(check, where, `${outside} of ${count(strays.checked, noun)} outside ${blocks.source}`, faults),
  ];
}

import { formatCidr } from "../../cidr/format.js";
import { isPrivate } from "../../cidr/special-ranges.js";
import { count } from "../findings/finding.js";
import { readNodeBlocks, storedBlocks } from "../pod-cidr/node-blocks.js";
import type { Unreadable } from "../read-set.js";
import { type Check, cannotTell } from "./check.js";
import { checkAddresses } from "./check-addresses.js";
import { checkAllocations } from "./check-allocations.js";
import { checkCalico } from "./check-calico.js";
import { checkCilium } from "./check-cilium.js";
import { checkComponents } from "./check-components.js";
import { checkConfigMaps } from "./check-config-maps.js";
import { checkNodes } from "./check-nodes.js";
import { checkServices } from "./check-services.js";
import { podBlocks } from "./pod-blocks.js";
import type { VerifyFacts, VerifyIntent } from "./verify-facts.js";
import { type WantedRanges, wantedPodRanges, wantedServiceRanges } from "./wanted-ranges.js";

export interface Verdict {
  readonly pods?: WantedRanges;
  readonly services?: WantedRanges;
  readonly checks: readonly Check[];
  /** What is odd but no fault. */
  readonly notes: readonly string[];
}

/** Compares every place that holds an address with each other and with the ranges asked for. */
export function verifyCluster(intent: VerifyIntent, facts: VerifyFacts): Verdict {
  const pods = wantedPodRanges(intent, facts);
  const services = wantedServiceRanges(intent, facts);
  const wanted = { pods, services };
  return {
    ...(pods === undefined ? {} : { pods }),
    ...(services === undefined ? {} : { services }),
    checks: [
      ...checkNodes(facts, pods),
      ...checkComponents(facts, wanted),
      ...checkConfigMaps(facts, wanted),
      ...checkCilium(facts, pods),
      ...checkCalico(facts, pods),
      ...checkAddresses(facts, podBlocks(facts.readSet)),
      ...checkServices(facts, services),
      ...checkAllocations(facts, services),
      ...unreadableKinds(facts),
    ],
    notes: notPrivate(facts, pods),
  };
}

/** One line a kind: of an encrypted resource no value can be read. */
function unreadableKinds({ unreadable, readSet: { prefix } }: VerifyFacts): Check[] {
  const byKind = new Map<string, Unreadable[]>();
  for (const each of new Map(unreadable.map((entry) => [entry.key, entry])).values()) {
    const [kind = ""] = each.key.slice(prefix.length + 1).split("/");
    byKind.set(kind, [...(byKind.get(kind) ?? []), each]);
  }
  return [...byKind].map(([kind, keys]) =>
    cannotTell(
      "readable",
      kind,
      `${count(keys.length, "value")} cannot be read`,
      keys.map(({ key, why }) => `${key}: ${why}`),
    ),
  );
}

/** Owners of public space may use theirs, so this is no fault; more often it is a typing error. */
function notPrivate({ readSet }: VerifyFacts, pods: WantedRanges | undefined): string[] {
  const blocks = readSet.nodes.flatMap((node) => storedBlocks(readNodeBlocks(node)).map(({ cidr }) => cidr));
  const odd = [...(pods?.cidrs ?? []), ...blocks].filter((cidr) => !isPrivate(cidr)).map(formatCidr);
  return [...new Set(odd)].map((text) => `${text} is not private`);
}

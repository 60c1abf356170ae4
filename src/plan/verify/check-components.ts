import { equals, type Family } from "../../cidr/cidr.js";
import type { ComponentFlags } from "../../objects/component-flags.js";
import { readNodeBlocks, storedBlocks } from "../pod-cidr/node-blocks.js";
import { rangesIn } from "../pod-cidr/old-range.js";
import { type Check, judge } from "./check.js";
import type { VerifyFacts } from "./verify-facts.js";
import { describe, type WantedRanges } from "./wanted-ranges.js";

export interface Wanted {
  readonly pods: WantedRanges | undefined;
  readonly services: WantedRanges | undefined;
}

/** The control plane's flags, as its mirror Pods show them. */
export function checkComponents(facts: VerifyFacts, wanted: Wanted): Check[] {
  return facts.readSet.components.flatMap((component) => [
    ...checkRangeFlag(component, "cluster-cidr", wanted.pods),
    ...checkRangeFlag(component, "service-cluster-ip-range", wanted.services),
    ...checkMasks(component, facts),
  ]);
}

function checkRangeFlag(
  { component, node, flags }: ComponentFlags,
  name: string,
  wanted?: WantedRanges,
): Check[] {
  const value = flags.get(name);
  if (value === undefined || wanted === undefined) return [];
  return [compareRanges(`flag-${name}`, `${component} on ${node}`, `--${name}=${value}`, value, wanted)];
}

/** A text that has to name the wanted ranges, in their order. */
export function compareRanges(
  check: string,
  where: string,
  shown: string,
  text: string,
  wanted: WantedRanges,
): Check {
  const ranges = rangesIn(text);
  const isSame =
    ranges.length === wanted.cidrs.length &&
    ranges.every((cidr, index) => wanted.cidrs.some((other, at) => at === index && equals(cidr, other)));
  return judge(check, where, shown, isSame ? [] : [`it should be ${describe(wanted)}`]);
}

const DEFAULT_MASK: Readonly<Record<Family, number>> = { 4: 24, 6: 64 };

/** New Nodes are given blocks of the flag's size: with another size than the Nodes' they are found in the wrong place. */
function checkMasks({ component, node, flags }: ComponentFlags, { readSet }: VerifyFacts): Check[] {
  if (component !== "kube-controller-manager" || flags.get("allocate-node-cidrs") === "false") return [];
  const families = rangesIn(flags.get("cluster-cidr")).map(({ family }) => family);
  return families.flatMap((family) => {
    const lengths = blockLengths(readSet, family);
    if (lengths.length === 0) return [];
    const mask = maskOf(flags, family, families.length > 1);
    const others = lengths.filter((length) => length !== mask);
    const faults = others.length === 0 ? [] : [`Nodes have IPv${family} blocks of /${others.join(", /")}`];
    return [judge("flag-node-cidr-mask-size", `${component} on ${node}`, `gives new Nodes /${mask}`, faults)];
  });
}

function blockLengths({ nodes }: VerifyFacts["readSet"], family: Family): number[] {
  const blocks = nodes.flatMap((node) => storedBlocks(readNodeBlocks(node)));
  const lengths = new Set(blocks.filter(({ cidr }) => cidr.family === family).map(({ cidr }) => cidr.length));
  return [...lengths].sort((left, right) => left - right);
}

function maskOf(flags: ReadonlyMap<string, string>, family: Family, isDual: boolean): number {
  const names = isDual
    ? [`node-cidr-mask-size-ipv${family}`]
    : ["node-cidr-mask-size", `node-cidr-mask-size-ipv${family}`];
  const given = names.map((name) => Number(flags.get(name) ?? 0)).find((mask) => mask > 0);
  return given ?? DEFAULT_MASK[family];
}

import { type Cidr, containsAddress, equals } from "../../cidr/cidr.js";
import { readAddress } from "../../cidr/read-address.js";
import type { RangeAllocationFacts } from "../../objects/service-range.js";
import { rangesIn } from "../pod-cidr/old-range.js";
import { type Check, judge } from "./check.js";
import type { VerifyFacts } from "./verify-facts.js";
import { describe, type WantedRanges } from "./wanted-ranges.js";

/** From this minor version on kube-apiserver does not look at the bitmaps any more (measured). */
const IGNORED_SINCE = 34;

/** The bitmaps under ranges/: their range, and a bit for each Service's address. */
export function checkAllocations(facts: VerifyFacts, wanted: WantedRanges | undefined): Check[] {
  const minor = apiServerMinor(facts);
  return facts.allocations.map((allocation) => {
    const where = `RangeAllocation ${allocation.key.split("/").at(-1) ?? ""}`;
    if (minor !== undefined && minor >= IGNORED_SINCE)
      return judge(
        "range-allocation",
        where,
        `${allocation.range}; Kubernetes 1.${minor} does not look at it`,
        [],
      );
    const faults = wanted === undefined ? [] : faultsOf(allocation, facts, wanted);
    return judge("range-allocation", where, allocation.range || "no range", faults);
  });
}

function apiServerMinor({ readSet }: VerifyFacts): number | undefined {
  const minors = readSet.components
    .filter(({ component }) => component === "kube-apiserver")
    .flatMap(({ minor }) => minor ?? []);
  return minors.length === 0 ? undefined : Math.min(...minors);
}

function faultsOf(
  { range, bits }: RangeAllocationFacts,
  { services, ipAddresses }: VerifyFacts,
  wanted: WantedRanges,
): string[] {
  const [own] = rangesIn(range);
  const expected = wanted.cidrs.find((cidr) => own !== undefined && equals(cidr, own));
  if (own === undefined || expected === undefined) return [`it should be of ${describe(wanted)}`];
  // Where there are IPAddresses, they decide; the bits are only written along (Kubernetes 1.33).
  if (ipAddresses.length > 0) return [];
  return services.flatMap(({ name, clusterIps }) =>
    clusterIps.flatMap((text) => (isFree(text, own, bits) ? [`${text} of ${name} is marked as free`] : [])),
  );
}

/** Offsets count from the range's second address: the first is never given away (pkg/registry/core/service/ipallocator). */
function isFree(text: string, range: Cidr, bits: Uint8Array): boolean {
  const address = readAddress(text);
  if (address === undefined || !containsAddress(range, address)) return false;
  const offset = Number(address.value - range.base - 1n);
  const byte = bits[bits.length - 1 - (offset >> 3)] ?? 0;
  return (byte & (1 << (offset & 7))) === 0;
}

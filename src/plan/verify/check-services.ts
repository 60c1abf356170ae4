import { type Address, containsAddress } from "../../cidr/cidr.js";
import { readAddress } from "../../cidr/read-address.js";
import type { ServiceFacts } from "../../objects/service.js";
import { count } from "../findings/finding.js";
import { rangesIn } from "../pod-cidr/old-range.js";
import { type Check, cannotTell, judge } from "./check.js";
import { compareRanges } from "./check-components.js";
import type { VerifyFacts } from "./verify-facts.js";
import { describe, type WantedRanges } from "./wanted-ranges.js";

/** Services, ServiceCIDRs and IPAddresses against each other and the service network. */
export function checkServices(facts: VerifyFacts, wanted: WantedRanges | undefined): Check[] {
  const { services } = facts;
  return [
    ...checkServiceCidr(facts, wanted),
    ...(services.length === 0
      ? []
      : [checkPairs(services), checkRange(facts, wanted), checkSharing(services)]),
    ...checkIpAddresses(facts),
  ];
}

function checkServiceCidr({ serviceCidrs }: VerifyFacts, wanted: WantedRanges | undefined): Check[] {
  const own = serviceCidrs.find(({ name }) => name === "kubernetes");
  if (own === undefined || wanted === undefined) return [];
  const text = own.cidrs.join();
  return [compareRanges("service-cidr", "ServiceCIDR kubernetes", text, text, wanted)];
}

function checkPairs(services: readonly ServiceFacts[]): Check {
  const faults = services
    .filter(({ clusterIp, clusterIps }) => clusterIp !== (clusterIps[0] ?? ""))
    .map(
      ({ name, clusterIp, clusterIps }) => `${name}: clusterIP ${clusterIp}, clusterIPs ${clusterIps.join()}`,
    );
  return judge(
    "service-pair",
    "Services",
    `clusterIP is clusterIPs[0] on ${faults.length === 0 ? "all" : "not all of"} ${services.length}`,
    faults,
  );
}

function checkRange({ services, serviceCidrs }: VerifyFacts, wanted: WantedRanges | undefined): Check {
  if (wanted === undefined)
    return cannotTell(
      "service-range",
      "Services",
      "nothing says what the service network is; give --service-cidr",
    );
  // ServiceCIDRs that somebody has added are as good as the first.
  const added = serviceCidrs
    .filter(({ name }) => name !== "kubernetes")
    .flatMap(({ cidrs }) => rangesIn(cidrs.join()));
  const ranges = [...wanted.cidrs, ...added];
  const faults = services.flatMap(({ name, clusterIps }) =>
    clusterIps.filter((text) => !isInside(readAddress(text), ranges)).map((text) => `${name} ${text}`),
  );
  return judge(
    "service-range",
    "Services",
    `${count(services.length, "Service")} inside ${describe(wanted)}`,
    faults,
  );
}

function isInside(address: Address | undefined, ranges: WantedRanges["cidrs"]): boolean {
  return address !== undefined && ranges.some((cidr) => containsAddress(cidr, address));
}

function checkSharing(services: readonly ServiceFacts[]): Check {
  const holders = new Map<string, string[]>();
  for (const { name, clusterIps } of services)
    for (const text of clusterIps) holders.set(text, [...(holders.get(text) ?? []), name]);
  const faults = [...holders]
    .filter(([, names]) => names.length > 1)
    .map(([text, names]) => `${text} is held by ${names.join(" and ")}`);
  return judge(
    "service-overlap",
    "Services",
    `no two of ${count(services.length, "Service")} share an address`,
    faults,
  );
}

/** Since Kubernetes 1.33 each address of a Service has an IPAddress that refers to it; before, there may be none at all. */
function checkIpAddresses({ services, ipAddresses }: VerifyFacts): Check[] {
  if (ipAddresses.length === 0) return [];
  const held = new Map(
    services.flatMap(({ name, clusterIps }) => clusterIps.map((text) => [text, name] as const)),
  );
  const allocated = new Map(ipAddresses.map(({ address, service }) => [address, service]));
  const missing = [...held]
    .filter(([text]) => !allocated.has(text))
    .map(([text, name]) => `${name} ${text} has no IPAddress`);
  const wrong = [...allocated]
    .filter(([address, service]) => held.get(address) !== service)
    .map(
      ([address, service]) => `${address} refers to ${service ?? "no Service"}, ${heldBy(held.get(address))}`,
    );
  const values = `${count(ipAddresses.length, "IPAddress object")} against ${count(services.length, "Service")}`;
  return [judge("ip-addresses", "IPAddresses", values, [...missing, ...wrong])];
}

function heldBy(name: string | undefined): string {
  return name === undefined ? "which does not have it" : `and ${name} has it`;
}

import type { Cidr } from "./cidr.js";
import { contains } from "./cidr.js";
import { parseCidr } from "./parse.js";

const PRIVATE: readonly Cidr[] = [
  "10.0.0.0/8", // RFC 1918
  "172.16.0.0/12", // RFC 1918
  "192.168.0.0/16", // RFC 1918
  "100.64.0.0/10", // RFC 6598, shared address space
  "fc00::/7", // RFC 4193, unique local
].map(parseCidr);

/** Whether the whole prefix is inside one of the ranges that nobody routes on the internet. */
export function isPrivate(cidr: Cidr): boolean {
  return PRIVATE.some((range) => contains(range, cidr));
}

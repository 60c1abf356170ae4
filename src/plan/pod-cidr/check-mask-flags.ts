import type { Cidr } from "../../cidr/cidr.js";
import { widthOf } from "../../cidr/cidr.js";
import { EtcdcidrError } from "../../errors.js";
import type { ChangePodCidrIntent } from "../intent.js";

type MaskIntent = Pick<ChangePodCidrIntent, "nodeMaskSize" | "nodeMaskSizeIpv4" | "nodeMaskSizeIpv6">;

/**
 * kube-controller-manager's own rules of exclusion (cmd/kube-controller-manager/app/core.go): the general flag only on
 * single stack and never beside a family's own, a family's own only where there is that family. Throws `usage`.
 */
export function checkMaskFlags(intent: MaskIntent, targets: readonly Cidr[]): void {
  const { nodeMaskSize, nodeMaskSizeIpv4, nodeMaskSizeIpv6 } = intent;
  if (nodeMaskSize !== undefined && targets.length > 1) {
    throw maskUsage(
      "--node-cidr-mask-size does not go with two cluster CIDRs",
      "kube-controller-manager refuses it on dual stack",
      "use --node-cidr-mask-size-ipv4 and --node-cidr-mask-size-ipv6",
    );
  }
  if (nodeMaskSize !== undefined && (nodeMaskSizeIpv4 ?? nodeMaskSizeIpv6) !== undefined) {
    throw maskUsage(
      "--node-cidr-mask-size does not go with --node-cidr-mask-size-ipv4 or -ipv6",
      "kube-controller-manager refuses the general flag beside a family's own",
      "give one of them",
    );
  }
  checkFamily(nodeMaskSizeIpv4, 4, targets);
  checkFamily(nodeMaskSizeIpv6, 6, targets);
  for (const target of targets) {
    checkLength(nodeMaskSize ?? (target.family === 4 ? nodeMaskSizeIpv4 : nodeMaskSizeIpv6), target);
  }
}

function checkFamily(size: number | undefined, family: 4 | 6, targets: readonly Cidr[]): void {
  if (size === undefined || targets.some((target) => target.family === family)) return;
  throw maskUsage(
    `--node-cidr-mask-size-ipv${family} does not go with this cluster CIDR`,
    `there is no IPv${family} range among those given`,
    "leave it out",
  );
}

function checkLength(size: number | undefined, target: Cidr): void {
  const width = widthOf(target.family);
  if (size === undefined || (Number.isInteger(size) && size >= 1 && size <= width)) return;
  throw maskUsage(
    `a node mask of /${size} is not possible`,
    `IPv${target.family} masks have 1 to ${width} bits`,
    "correct it",
  );
}

function maskUsage(what: string, why: string, next: string): EtcdcidrError {
  return new EtcdcidrError("usage", { what, why, now: "nothing was written", next });
}

import { type Cidr, equals, type Family, widthOf } from "../../cidr/cidr.js";
import { EtcdcidrError, NOTHING_WRITTEN } from "../../errors.js";
import type { ChangePodCidrIntent } from "../intent.js";
import type { ReadSet } from "../read-set.js";
import { heldOf, type NodeBlocks } from "./node-blocks.js";
import { controllerManagers, rangesIn } from "./old-range.js";

/** Why a length was taken, for the operator to read. */
export interface BlockLength {
  readonly value: number;
  readonly source: string;
}

/** What kube-controller-manager takes where no flag is given (cmd/kube-controller-manager/app/core.go). */
export const DEFAULT_BLOCK_LENGTH: Readonly<Record<Family, number>> = { 4: 24, 6: 64 };

/** The flag for the one range of a cluster that has one. */
export const GENERAL_MASK_FLAG = "node-cidr-mask-size";

/** Throws `usage` when the length cannot be told. */
export function chooseBlockLength(
  target: Cidr,
  intent: ChangePodCidrIntent,
  readSet: ReadSet,
  members: readonly NodeBlocks[],
): BlockLength {
  const { family } = target;
  const perFamily = family === 4 ? intent.nodeMaskSizeIpv4 : intent.nodeMaskSizeIpv6;
  const asked = perFamily ?? intent.nodeMaskSize;
  if (asked !== undefined) return { value: asked, source: "as asked for" };
  const [flag, ...others] = flagsOfChangedManagers(target, readSet);
  if (flag !== undefined) {
    const differing = others.find(({ value }) => value !== flag.value);
    if (differing !== undefined)
      throw unknownLength(
        family,
        `it is /${flag.value} by ${flag.source}, and /${differing.value} by ${differing.source}`,
      );
    return flag;
  }
  const lengths = new Set(members.flatMap((blocks) => heldOf(blocks, family)?.cidr.length ?? []));
  const [first] = lengths;
  if (lengths.size > 1) {
    const masks = [...lengths].sort((left, right) => left - right).map((length) => `/${length}`);
    throw unknownLength(family, `the Nodes have blocks of ${masks.join(" and ")} now`);
  }
  if (first === undefined) {
    return { value: DEFAULT_BLOCK_LENGTH[family], source: "kube-controller-manager's default" };
  }
  return { value: first, source: "as all Nodes have now" };
}

/** The masks of the kube-controller-managers whose `--cluster-cidr` already is the target. */
function flagsOfChangedManagers(target: Cidr, readSet: ReadSet): BlockLength[] {
  return controllerManagers(readSet)
    .filter(({ flags }) => rangesIn(flags.get("cluster-cidr")).some((cidr) => equals(cidr, target)))
    .map(({ flags, node }) => flagOf(target.family, flags, node));
}

function flagOf(family: Family, flags: ReadonlyMap<string, string>, node: string): BlockLength {
  const name = maskFlags(family).find((flag) => flags.has(flag));
  if (name === undefined) {
    const source = `default of kube-controller-manager on ${node}, whose --cluster-cidr is the target already`;
    return { value: DEFAULT_BLOCK_LENGTH[family], source };
  }
  const text = flags.get(name) ?? "";
  const value = /^\d+$/.test(text) ? Number(text) : 0;
  const source = `--${name} of kube-controller-manager on ${node}`;
  if (value < 1 || value > widthOf(family))
    throw unknownLength(family, `${source} is ${JSON.stringify(text)}`);
  return { value, source };
}

/** The flags that set a family's mask, the more exact one first. */
export function maskFlags(family: Family): readonly string[] {
  return [`${GENERAL_MASK_FLAG}-ipv${family}`, GENERAL_MASK_FLAG];
}

function unknownLength(family: Family, why: string): EtcdcidrError {
  return new EtcdcidrError("usage", {
    what: `cannot tell the size of the new IPv${family} blocks`,
    why,
    now: NOTHING_WRITTEN,
    next: `say which with --node-cidr-mask-size-ipv${family} <bits>`,
  });
}

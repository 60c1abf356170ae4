import { type Cidr, contains, equals, type Family, smallestEnclosing } from "../../cidr/cidr.js";
import { formatCidr } from "../../cidr/format.js";
import { readStoredCidr } from "../../cidr/parse.js";
import { EtcdcidrError } from "../../errors.js";
import type { ChangePodCidrIntent } from "../intent.js";
import type { ReadSet } from "../read-set.js";
import { heldOf, type NodeBlocks } from "./node-blocks.js";

/** What is to become of one family: from where, to where, in blocks of which length. */
export interface FamilyPlan {
  readonly family: Family;
  readonly target: Cidr;
  readonly blockLength: number;
  readonly blockLengthSource: string;
  readonly oldRange?: { readonly cidr: Cidr; readonly source: string };
}

/** Why a length was taken, for the operator to read. */
interface BlockLength {
  readonly value: number;
  readonly source: string;
}

// kube-controller-manager's defaults (cmd/kube-controller-manager/app/core.go).
const DEFAULT_BLOCK_LENGTH = { 4: 24, 6: 64 } as const;

export function planFamily(
  target: Cidr,
  intent: ChangePodCidrIntent,
  readSet: ReadSet,
  nodes: readonly NodeBlocks[],
): FamilyPlan {
  const oldRange = findOldRange(target, readSet, nodes);
  const members = nodes.filter((blocks) => !isOutside(blocks, target, oldRange?.cidr));
  const { value, source } = chooseBlockLength(target, intent, readSet, members);
  return {
    family: target.family,
    target,
    blockLength: value,
    blockLengthSource: source,
    ...(oldRange === undefined ? {} : { oldRange }),
  };
}

/** A Node is outside when its block lies neither in the old range nor in the target. */
export function isOutside(blocks: NodeBlocks, target: Cidr, oldRange: Cidr | undefined): boolean {
  const held = heldOf(blocks, target.family)?.cidr;
  if (held === undefined) return false;
  return !contains(target, held) && !(oldRange !== undefined && contains(oldRange, held));
}

/** The ranges of a flag or field that may name one a family, `10.112.0.0/16,fd00:10:112::/48`. */
export function rangesIn(text: string | undefined): readonly Cidr[] {
  return (text ?? "").split(",").flatMap((part) => readStoredCidr(part.trim())?.cidr ?? []);
}

function findOldRange(
  target: Cidr,
  readSet: ReadSet,
  nodes: readonly NodeBlocks[],
): FamilyPlan["oldRange"] | undefined {
  const held = nodes.flatMap((blocks) => heldOf(blocks, target.family)?.cidr ?? []);
  const outsideTarget = held.filter((cidr) => !contains(target, cidr));
  const mostAreOutside = outsideTarget.length * 2 > held.length;
  const candidates = [...configuredRanges(target.family, readSet), ...enclosing(outsideTarget)];
  // The procedure changes the flags first: a source that already says the target tells nothing about the old range.
  return candidates.find(({ cidr }) => !(mostAreOutside && equals(cidr, target)));
}

function configuredRanges(family: Family, readSet: ReadSet): NonNullable<FamilyPlan["oldRange"]>[] {
  const fromFlags = controllerManagers(readSet).map(({ flags, node }) => ({
    text: flags.get("cluster-cidr"),
    source: `--cluster-cidr of kube-controller-manager on ${node}`,
  }));
  const fromKubeadm = { text: readSet.kubeadm?.podSubnet, source: "podSubnet in ConfigMap kubeadm-config" };
  return [...fromFlags, fromKubeadm].flatMap(({ text, source }) =>
    rangesIn(text)
      .filter((cidr) => cidr.family === family)
      .map((cidr) => ({ cidr, source })),
  );
}

function enclosing(cidrs: readonly Cidr[]): NonNullable<FamilyPlan["oldRange"]>[] {
  const cidr = smallestEnclosing(cidrs);
  return cidr === undefined ? [] : [{ cidr, source: "the smallest prefix over the Nodes' blocks" }];
}

export function controllerManagers({ components }: ReadSet): ReadSet["components"] {
  return components.filter(({ component }) => component === "kube-controller-manager");
}

function chooseBlockLength(
  target: Cidr,
  intent: ChangePodCidrIntent,
  readSet: ReadSet,
  members: readonly NodeBlocks[],
): BlockLength {
  const { family } = target;
  const perFamily = family === 4 ? intent.nodeMaskSizeIpv4 : intent.nodeMaskSizeIpv6;
  const asked = perFamily ?? intent.nodeMaskSize;
  if (asked !== undefined) return { value: asked, source: "as asked for" };
  const flag = flagOfChangedManager(target, readSet);
  if (flag !== undefined) return flag;
  const lengths = new Set(members.flatMap((blocks) => heldOf(blocks, family)?.cidr.length ?? []));
  const [first] = lengths;
  if (lengths.size > 1) throw lengthsDiffer(family, [...lengths]);
  if (first === undefined) {
    return { value: DEFAULT_BLOCK_LENGTH[family], source: "kube-controller-manager's default" };
  }
  return { value: first, source: "as all Nodes have now" };
}

/** The mask of a kube-controller-manager whose `--cluster-cidr` already is the target. */
function flagOfChangedManager(target: Cidr, readSet: ReadSet): BlockLength | undefined {
  const changed = controllerManagers(readSet).find(({ flags }) =>
    rangesIn(flags.get("cluster-cidr")).some((cidr) => equals(cidr, target)),
  );
  if (changed === undefined) return undefined;
  const name = maskFlags(target.family).find((flag) => changed.flags.has(flag));
  if (name === undefined) {
    const value = DEFAULT_BLOCK_LENGTH[target.family];
    return { value, source: `kube-controller-manager's default; its --cluster-cidr is the target already` };
  }
  return {
    value: Number(changed.flags.get(name)),
    source: `--${name} of kube-controller-manager on ${changed.node}`,
  };
}

/** The flags that set a family's mask, the more exact one first. */
export function maskFlags(family: Family): readonly string[] {
  return [`node-cidr-mask-size-ipv${family}`, "node-cidr-mask-size"];
}

function lengthsDiffer(family: Family, lengths: number[]): EtcdcidrError {
  const masks = lengths.sort((left, right) => left - right).map((length) => `/${length}`);
  return new EtcdcidrError("usage", {
    what: `cannot tell the size of the new IPv${family} blocks`,
    why: `the Nodes have blocks of ${masks.join(" and ")} now`,
    now: "nothing was written",
    next: `say which with --node-cidr-mask-size${family === 4 ? "" : "-ipv6"} <bits>`,
  });
}

/** `10.112.0.0/16 (--cluster-cidr of ...)`, for the operator to read. */
export function describeOldRange({ oldRange }: FamilyPlan): string {
  return oldRange === undefined ? "unknown" : `${formatCidr(oldRange.cidr)} (${oldRange.source})`;
}

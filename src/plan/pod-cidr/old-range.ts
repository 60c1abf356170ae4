import { type Cidr, contains, equals, type Family, smallestEnclosing } from "../../cidr/cidr.js";
import { parseCidr, readStoredCidr } from "../../cidr/parse.js";
import type { ChangePodCidrIntent } from "../intent.js";
import type { ReadSet } from "../read-set.js";
import { heldOf, type NodeBlocks } from "./node-blocks.js";

/** Where a family's blocks lie today, and how that is known. */
export interface OldRange {
  readonly cidr: Cidr;
  readonly source: string;
}

/** `target` is absent for a family that is not changed. */
export function findOldRange(
  family: Family,
  target: Cidr | undefined,
  readSet: ReadSet,
  nodes: readonly NodeBlocks[],
): OldRange | undefined {
  const isTarget = (cidr: Cidr) => target !== undefined && equals(cidr, target);
  const held = nodes.flatMap((blocks) => heldOf(blocks, family)?.cidr ?? []);
  const outsideTarget = held.filter((cidr) => target === undefined || !contains(target, cidr));
  const mostAreOutside = outsideTarget.length * 2 > held.length;
  const candidates = [...configuredRanges(family, readSet), ...enclosing(outsideTarget)];
  // The procedure changes the flags first: a source that already says the target tells nothing about the old range. Nor
  // does one in which no block lies: an earlier change has moved the Nodes, and the flags have not followed.
  const tellsNothing = (cidr: Cidr) =>
    (mostAreOutside && isTarget(cidr)) ||
    (outsideTarget.length > 0 && held.every((block) => !contains(cidr, block)));
  return candidates.find(({ cidr }) => !tellsNothing(cidr));
}

/** The old range of the family that this one is not. */
export function findOtherRange(
  family: Family,
  intent: ChangePodCidrIntent,
  readSet: ReadSet,
  nodes: readonly NodeBlocks[],
): Cidr | undefined {
  const other = family === 4 ? 6 : 4;
  const target = intent.clusterCidrs.map(parseCidr).find((cidr) => cidr.family === other);
  return findOldRange(other, target, readSet, nodes)?.cidr;
}

function configuredRanges(family: Family, readSet: ReadSet): OldRange[] {
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

function enclosing(cidrs: readonly Cidr[]): OldRange[] {
  const cidr = smallestEnclosing(cidrs);
  return cidr === undefined ? [] : [{ cidr, source: "the smallest prefix over the Nodes' blocks" }];
}

/** The ranges of a flag or field that may name one a family, `10.112.0.0/16,fd00:10:112::/48`. */
export function rangesIn(text: string | undefined): readonly Cidr[] {
  return (text ?? "").split(",").flatMap((part) => readStoredCidr(part.trim())?.cidr ?? []);
}

export function controllerManagers({ components }: ReadSet): ReadSet["components"] {
  return components.filter(({ component }) => component === "kube-controller-manager");
}

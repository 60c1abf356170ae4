import { type Cidr, contains } from "../cidr/cidr.js";
import { parseCidr, readStoredCidr } from "../cidr/parse.js";
import type { NodeFacts } from "../objects/node.js";
import type { FamilyOutline, NodeOutline } from "./plan.js";
import { NO_RANGE } from "./pod-cidr/families-back.js";
import { cidrsOf, readNodeBlocks } from "./pod-cidr/node-blocks.js";

/** Names of the Nodes that are outside the new ranges once the change is done: kube-controller-manager exits on each. */
export function nodesOutside(
  families: readonly FamilyOutline[],
  nodes: readonly NodeFacts[],
  changed: readonly NodeOutline[],
): readonly string[] {
  const targets = families.filter(({ target }) => target !== NO_RANGE).map(({ target }) => parseCidr(target));
  const after = new Map(changed.map((outline) => [outline.name, outline.after]));
  const held = (node: NodeFacts): readonly Cidr[] => {
    const texts = after.get(node.name);
    if (texts === undefined) return targets.flatMap(({ family }) => cidrsOf(readNodeBlocks(node), family));
    return texts.flatMap((text) => readStoredCidr(text)?.cidr ?? []);
  };
  return nodes.filter((node) => held(node).some((cidr) => isOutside(cidr, targets))).map(({ name }) => name);
}

function isOutside(cidr: Cidr, targets: readonly Cidr[]): boolean {
  return targets.some((target) => target.family === cidr.family && !contains(target, cidr));
}

import { contains, type Family, lastAddress } from "../cidr/cidr.js";
import { parseCidr } from "../cidr/parse.js";
import type { NodeFacts } from "../objects/node.js";
import type { Plan } from "./plan.js";
import { type HeldBlock, heldOf, type NodeBlocks, readNodeBlocks } from "./pod-cidr/node-blocks.js";
import { sameFieldValue } from "./same-field-value.js";

/** Something about the store that is not as the plan meant it. */
export interface Fault {
  readonly node: string;
  readonly what: string;
  /** The command that puts it right, where there is one. */
  readonly next?: string;
}

/** Compares the Nodes read after a change with its plan; no fault means that the change is what it should be. */
export function checkOutcome(
  plan: Plan,
  nodes: readonly NodeFacts[],
  dropped: ReadonlySet<string>,
): readonly Fault[] {
  const blocks = nodes.map(readNodeBlocks);
  return [
    ...findUnwritten(plan, blocks, dropped),
    ...findJoined(plan, blocks),
    ...plan.outline.families.flatMap(({ family }) => findShared(plan, blocks, family)),
  ];
}

function findUnwritten(plan: Plan, nodes: readonly NodeBlocks[], dropped: ReadonlySet<string>): Fault[] {
  const byUid = new Map(nodes.map((blocks) => [blocks.node.uid, blocks.node]));
  return plan.outline.nodes.flatMap(({ name, key, uid, after }) => {
    const node = byUid.get(uid);
    // A Node that is gone was reported when it was dropped, or left after it was written.
    if (node === undefined || dropped.has(key)) return [];
    const listDiffers = !sameFieldValue(node.podCidrs, after);
    if (!listDiffers && (node.podCidr ?? "") === (after[0] ?? "")) return [];
    return [{ node: name, what: `has ${describe(node)} instead of ${after.join(",")}` }];
  });
}

function describe({ podCidr, podCidrs }: NodeFacts): string {
  return `podCIDR ${podCidr ?? ""} and podCIDRs ${podCidrs.join(",")}`;
}

/** A Node that joined meanwhile with a block of the old range stops the restarted kube-controller-manager at once. */
function findJoined(plan: Plan, nodes: readonly NodeBlocks[]): Fault[] {
  return nodes
    .filter(({ node }) => plan.nodeUids.get(node.name) !== node.uid)
    .flatMap((blocks) =>
      plan.outline.families.flatMap(({ family, target }) => {
        const held = heldOf(blocks, family);
        if (held === undefined || contains(parseCidr(target), held.cidr)) return [];
        const { name } = blocks.node;
        return [
          {
            node: name,
            what: `joined meanwhile and has ${held.text}, outside ${target}`,
            next: moveCommand(plan, name),
          },
        ];
      }),
    );
}

function moveCommand({ outline }: Plan, name: string): string {
  const targets = outline.families.map(({ target }) => target).join(",");
  const masks = outline.families.map(({ family, nodeMask }) =>
    outline.families.length === 1
      ? `--node-cidr-mask-size ${nodeMask}`
      : `--node-cidr-mask-size-ipv${family} ${nodeMask}`,
  );
  return `etcdcidr change-pod-cidr ${targets} ${masks.join(" ")} --node ${name}`;
}

/** Nodes that share addresses, if one of them was changed or has joined; pairs are found by one sweep in address order. */
function findShared(plan: Plan, nodes: readonly NodeBlocks[], family: Family): Fault[] {
  const concerned = new Set(plan.outline.nodes.map(({ uid }) => uid));
  const entries = nodes
    .flatMap(({ node, ...rest }) => {
      const held = heldOf({ node, ...rest }, family);
      return held === undefined ? [] : [{ node, held }];
    })
    .sort((left, right) => (left.held.cidr.base < right.held.cidr.base ? -1 : 1));
  return entries.flatMap(({ node, held }, index) => {
    const before = entries[index - 1];
    if (before === undefined || lastAddress(before.held.cidr) < held.cidr.base) return [];
    const isOurs = [node, before.node].some(
      ({ uid, name }) => concerned.has(uid) || plan.nodeUids.get(name) !== uid,
    );
    return isOurs ? [{ node: node.name, what: shares(held, before) }] : [];
  });
}

function shares(held: HeldBlock, other: { readonly node: NodeFacts; readonly held: HeldBlock }): string {
  return `has ${held.text}, which overlaps ${other.held.text} of ${other.node.name}`;
}

import { formatCidr } from "../../cidr/format.js";
import type { NodeFacts } from "../../objects/node.js";
import type { FieldEdit } from "../../schema/field-edit.js";
import type { Change } from "../plan.js";
import type { Placement } from "./map-blocks.js";
import type { Block, NodeBlocks } from "./node-blocks.js";
import type { FamilyPlacement } from "./place-nodes.js";

/** A Node's blocks in the order of its fields: podCIDR is the first of them. */
export function blocksAfter(blocks: NodeBlocks, families: readonly FamilyPlacement[]): readonly Block[] {
  const { name } = blocks.node;
  const after = blocks.held.map((held) => {
    const placement = familyOf(families, held.cidr.family)?.placements.get(name);
    return placement === undefined ? held : toBlock(placement);
  });
  const added = families.flatMap(({ plan, placements }) => {
    const placement = placements.get(name);
    const isNew = blocks.held.every(({ cidr }) => cidr.family !== plan.family);
    return placement !== undefined && isNew ? [toBlock(placement)] : [];
  });
  return [...after, ...added];
}

function toBlock({ block }: Placement): Block {
  return { cidr: block, text: formatCidr(block) };
}

function familyOf(families: readonly FamilyPlacement[], family: 4 | 6): FamilyPlacement | undefined {
  return families.find(({ plan }) => plan.family === family);
}

/** The update that gives a Node these blocks, podCIDR and podCIDRs together; undefined when it has them already. */
export function editNode(node: NodeFacts, blocks: readonly Block[]): Change | undefined {
  const after = blocks.map(({ text }) => text);
  const edits = [...editPodCidr(node, after), ...editPodCidrs(node, after)];
  if (edits.length === 0) return undefined;
  return { action: "update", key: node.key, modRevision: node.modRevision, sha256: node.sha256, edits };
}

function editPodCidr({ podCidr }: NodeFacts, after: readonly string[]): FieldEdit[] {
  const value = after[0] ?? "";
  if ((podCidr ?? "") === value) return [];
  return [{ path: "spec.podCIDR", ...(podCidr === undefined ? {} : { old: podCidr }), new: value }];
}

function editPodCidrs({ podCidrs }: NodeFacts, after: readonly string[]): FieldEdit[] {
  if (podCidrs.length === after.length && podCidrs.every((text, index) => text === after[index])) return [];
  return [
    {
      path: "spec.podCIDRs",
      ...(podCidrs.length === 0 ? {} : { old: podCidrs }),
      ...(after.length === 0 ? {} : { new: after }),
    },
  ];
}

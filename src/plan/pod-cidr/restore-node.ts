import type { NodeFacts } from "../../objects/node.js";
import type { FieldEdit, FieldValue } from "../../schema/field-edit.js";
import { sameFieldValue } from "../same-field-value.js";
import { plannedNode } from "./assemble.js";
import type { PlannedNode } from "./context.js";
import { type NodeBlocks, readNodeBlocks } from "./node-blocks.js";

/** What becomes of one Node in a rollback. */
export type NodeReturn =
  /** It has what the change wrote: it gets its old values back. */
  | { readonly kind: "restored"; readonly planned: PlannedNode }
  /** It has its old values already. */
  | { readonly kind: "unchanged" }
  /** Its fields are neither what the change wrote nor what they were before. */
  | { readonly kind: "changed since" }
  /** The change did not concern it. */
  | { readonly kind: "bystander" }
  /** It was not there when the change was made. */
  | { readonly kind: "added since" };

/** What a Node that the change wrote gets back: the very old values, odd ones too. */
export function restoreNode(blocks: NodeBlocks, edits: readonly FieldEdit[]): NodeReturn {
  const { node } = blocks;
  if (edits.every((edit) => sameFieldValue(storedValue(node, edit.path), edit.old)))
    return { kind: "unchanged" };
  if (!edits.every((edit) => sameFieldValue(storedValue(node, edit.path), edit.new)))
    return { kind: "changed since" };
  const back = edits.map((edit) => invertEdit(edit, storedValue(node, edit.path)));
  const after = readNodeBlocks(withOldValues(node, edits));
  const { key, modRevision, sha256 } = node;
  const change = { action: "update", key, modRevision, sha256, edits: back } as const;
  return {
    kind: "restored",
    planned: plannedNode(blocks, [...after.held.map(({ text }) => text), ...after.surplus], change),
  };
}

function invertEdit({ path, old }: FieldEdit, current: FieldValue | undefined): FieldEdit {
  return {
    path,
    ...(current === undefined ? {} : { old: current }),
    ...(old === undefined ? {} : { new: old }),
  };
}

/** What is stored now; absent as in FieldEdit. */
function storedValue({ podCidr, podCidrs }: NodeFacts, path: string): FieldValue | undefined {
  if (path === "spec.podCIDR") return podCidr;
  return podCidrs.length === 0 ? undefined : podCidrs;
}

function withOldValues(node: NodeFacts, edits: readonly FieldEdit[]): NodeFacts {
  const oldOf = (path: string) => {
    const edit = edits.find((candidate) => candidate.path === path);
    return edit === undefined ? storedValue(node, path) : edit.old;
  };
  const podCidrs = oldOf("spec.podCIDRs");
  return {
    ...node,
    podCidr: String(oldOf("spec.podCIDR") ?? ""),
    podCidrs: Array.isArray(podCidrs) ? podCidrs.map(String) : [],
  };
}

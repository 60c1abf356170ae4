import type { NodeFacts } from "../../objects/node.js";
import type { FieldEdit, FieldValue } from "../../schema/field-edit.js";
import type { JournaledKey } from "../journaled-change.js";
import { sameFieldValue } from "../same-field-value.js";
import { plannedNode } from "./assemble.js";
import type { PlannedNode } from "./context.js";
import { type NodeBlocks, readNodeBlocks, storedBlocks } from "./node-blocks.js";

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
export function restoreNode(blocks: NodeBlocks, journaled: JournaledKey): NodeReturn {
  const { node } = blocks;
  const { edits } = journaled;
  if (isAsOf("old", node, journaled)) return { kind: "unchanged" };
  if (!isAsOf("new", node, journaled)) return { kind: "changed since" };
  const back = edits.map((edit) => invertEdit(edit, storedValue(node, edit.path)));
  const after = readNodeBlocks(withOldValues(node, edits));
  const { key, modRevision, sha256 } = node;
  const change = { action: "update", key, modRevision, sha256, edits: back } as const;
  return { kind: "restored", planned: plannedNode(blocks, storedBlocks(after), change) };
}

/** Compares both fields, the one that was not edited too: podCIDR and podCIDRs belong together. */
function isAsOf(side: "old" | "new", node: NodeFacts, { edits, outline }: JournaledKey): boolean {
  const unedited = { "spec.podCIDR": outline.after[0], "spec.podCIDRs": outline.after };
  return Object.entries(unedited).every(([path, value]) => {
    const edit = edits.find((candidate) => candidate.path === path);
    return sameFieldValue(storedValue(node, path), edit === undefined ? value : edit[side]);
  });
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

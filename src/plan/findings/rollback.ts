import type { JournaledChange } from "../journaled-change.js";
import type { Finding } from "../plan.js";
import type { FindingContext } from "../pod-cidr/context.js";
import type { NodeReturn } from "../pod-cidr/restore-node.js";
import { acceptableBlocker, someOf, warning } from "./finding.js";

export interface RollbackFindingRequest {
  readonly context: FindingContext;
  readonly returns: ReadonlyMap<string, NodeReturn>;
  readonly change: JournaledChange;
  readonly leaveNewNodes: boolean;
}

/** What a rollback meets that the change itself could not. */
export function findRollbackFaults(request: RollbackFindingRequest): Finding[] {
  return [...findChangedSince(request), ...findDeletedSince(request), ...findLeftNew(request)];
}

function findChangedSince({ context, returns }: RollbackFindingRequest): Finding[] {
  const nodes = context.nodes.filter(({ blocks }) => returns.get(blocks.node.name)?.kind === "changed since");
  if (nodes.length === 0) return [];
  const details = nodes.map(
    ({ blocks }) => `${blocks.node.name} (${blocks.held.map(({ text }) => text).join(",")})`,
  );
  return [
    acceptableBlocker("changed-since", {
      keys: nodes.map(({ blocks }) => blocks.node.key),
      what: `blocks have been changed again since: ${someOf(details)}`,
      why: "they are neither what this change wrote nor what was there before, so somebody else meant them",
      next: "find out who; accepted, these Nodes are left as they are",
    }),
  ];
}

function findDeletedSince({ context, change }: RollbackFindingRequest): Finding[] {
  const present = new Set(context.readSet.nodes.map(({ uid }) => uid));
  const gone = [...change.keys.values()].filter(
    ({ sent, outline }) => sent !== undefined && !present.has(outline.uid),
  );
  if (gone.length === 0) return [];
  return [
    warning("deleted-since", {
      keys: gone.map(({ key }) => key),
      what: `Nodes have been deleted since: ${someOf(gone.map(({ key }) => key.slice(key.lastIndexOf("/") + 1)))}`,
      why: "there is nothing to give their old blocks back to",
      next: "nothing",
    }),
  ];
}

function findLeftNew({ context, returns, leaveNewNodes }: RollbackFindingRequest): Finding[] {
  const left = context.nodes.filter(
    ({ blocks, change }) =>
      returns.get(blocks.node.name)?.kind === "added since" && change === undefined && blocks.held.length > 0,
  );
  if (!leaveNewNodes || left.length === 0) return [];
  return [
    warning("new-nodes-left", {
      keys: left.map(({ blocks }) => blocks.node.key),
      what: `Nodes that joined since keep their blocks: ${someOf(left.map(({ blocks }) => blocks.node.name))}`,
      why: "kube-controller-manager with the old flags exits at start while a Node is outside its range",
      next: "leave out --leave-new-nodes, or delete these Nodes before it is started",
    }),
  ];
}

// What concerns only values that the rollback itself chooses.
const ABOUT_NEW_VALUES: ReadonlySet<string> = new Set(["capacity", "overlaps-current-block", "unreadable"]);

/** What was stored before may always be restored: a blocker about such a value becomes a warning. */
export function softenPinned(
  findings: readonly Finding[],
  addedKeys: ReadonlySet<string>,
): readonly Finding[] {
  return findings.map((finding) => {
    const stands = ABOUT_NEW_VALUES.has(finding.code) || finding.keys.some((key) => addedKeys.has(key));
    return finding.severity === "warning" || stands
      ? finding
      : { ...finding, severity: "warning", acceptable: false };
  });
}

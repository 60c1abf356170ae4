import { contains, type Family } from "../../cidr/cidr.js";
import type { JournaledChange } from "../journaled-change.js";
import type { Finding } from "../plan.js";
import type { FindingContext, PlannedNode } from "../pod-cidr/context.js";
import type { NodeReturn } from "../pod-cidr/restore-node.js";
import { overlappingGroups } from "./blocks.js";
import { acceptableBlocker, someOf, warning } from "./finding.js";

export interface RollbackFindingRequest {
  readonly context: FindingContext;
  readonly returns: ReadonlyMap<string, NodeReturn>;
  readonly change: JournaledChange;
  /** Families that the change had added. */
  readonly gone: ReadonlySet<Family>;
  readonly leaveNewNodes: boolean;
}

/** What a rollback meets that the change itself could not. */
export function findRollbackFaults(request: RollbackFindingRequest): Finding[] {
  return [
    ...findChangedSince(request),
    ...findDeletedSince(request),
    ...findLeftNew(request),
    ...findSharedAfter(request),
  ];
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
      why: "they are neither what this change wrote nor what was there before, so somebody else meant them; accepted, these Nodes are left as they are",
      next: "find out who",
    }),
  ];
}

function findDeletedSince({ context, change }: RollbackFindingRequest): Finding[] {
  const present = new Set(context.readSet.nodes.map(({ uid }) => uid));
  const unreadable = new Set(context.readSet.unreadable.map(({ key }) => key));
  const gone = [...change.keys.values()].filter(
    ({ key, sent, outline }) => sent !== undefined && !present.has(outline.uid) && !unreadable.has(key),
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

function findLeftNew(request: RollbackFindingRequest): Finding[] {
  const { context, returns, leaveNewNodes } = request;
  const left = context.nodes.filter(
    (node) => returns.get(node.blocks.node.name)?.kind === "added since" && stopsManager(node, request),
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

function stopsManager({ afterCidrs }: PlannedNode, { context, gone }: RollbackFindingRequest): boolean {
  return afterCidrs.some(
    (cidr) =>
      gone.has(cidr.family) ||
      context.families.some(({ plan }) => plan.family === cidr.family && !contains(plan.target, cidr)),
  );
}

/** Old values are given back even where another Node has got these addresses since. */
function findSharedAfter({ context, gone }: RollbackFindingRequest): Finding[] {
  const families = [...context.families.map(({ plan }) => plan.family), ...gone];
  return families.flatMap((family) =>
    overlappingGroups(context.nodes, ({ afterCidrs }) => afterCidrs.filter((cidr) => cidr.family === family))
      .filter((group) => group.some(({ change }) => change !== undefined))
      .map((group) =>
        warning("duplicate-block", {
          keys: group.map(({ blocks }) => blocks.node.key),
          what: `${someOf(group.map(({ blocks }) => blocks.node.name))} will hold the same addresses (${someOf([...new Set(group.flatMap(({ after }) => after))])})`,
          why: "the old blocks are given back as they were, and these Nodes have shared them before or have come by them since",
          next: "give all but one of them another block right afterwards",
        }),
      ),
  );
}

// What concerns only values that the rollback itself chooses, or cannot be judged at all.
const STANDING: ReadonlySet<string> = new Set([
  "capacity",
  "overlaps-current-block",
  "unreadable",
  "node-block-too-small",
  "pods-outside-block",
]);

const LEAVE = "--leave-new-nodes leaves Nodes that joined since where they are";

// What a change would do about it takes flags that a rollback does not have: its ranges and masks are the old ones.
const NEXT: Readonly<Record<string, string>> = {
  capacity: `${LEAVE}; or delete Nodes`,
  "overlaps-current-block": `${LEAVE}; else renew all Pods at once afterwards`,
  "duplicate-block": "give all but one of them another block right afterwards",
  "left-alone":
    "look at their blocks before kube-controller-manager is started: it exits while one is outside its range",
};

/** What was stored before may always be restored: a blocker about such a value becomes a warning. */
export function softenFindings(findings: readonly Finding[]): readonly Finding[] {
  return findings.map((finding) => {
    const told = { ...finding, next: NEXT[finding.code] ?? finding.next };
    return STANDING.has(finding.code) ? told : { ...told, severity: "warning", acceptable: false };
  });
}

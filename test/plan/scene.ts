import type { NodeFacts } from "../../src/objects/node.js";
import { planChangePodCidr } from "../../src/plan/change-pod-cidr.js";
import { blockersOf } from "../../src/plan/findings/pod-cidr-findings.js";
import type { ChangePodCidrIntent, RollbackIntent } from "../../src/plan/intent.js";
import type { EndRecord, JournalRecord } from "../../src/plan/journal-record.js";
import { foldJournal, type JournaledChange } from "../../src/plan/journaled-change.js";
import { compareNaturally } from "../../src/plan/natural-order.js";
import type { Change, Finding, Plan } from "../../src/plan/plan.js";
import type { ReadSet } from "../../src/plan/read-set.js";
import { planRollback } from "../../src/plan/rollback.js";
import type { FieldEdit, FieldValue } from "../../src/schema/field-edit.js";
import { type ClusterBuilder, NOW_MS, PREFIX } from "../harness/read-set.js";

type Options = Partial<Omit<ChangePodCidrIntent, "operation" | "clusterCidrs">>;

/** The intent of `etcdcidr change-pod-cidr <cidrs>`. */
export function changeIntent(cidrs: string, options: Options = {}): ChangePodCidrIntent {
  return {
    operation: "change-pod-cidr",
    nowMs: NOW_MS,
    prefix: PREFIX,
    accept: [],
    oneTransaction: false,
    clusterCidrs: cidrs.split(","),
    mapping: "index",
    reserved: [],
    nodes: [],
    assignMissing: false,
    addFamily: false,
    ...options,
  };
}

export function rollbackIntent(options: Partial<Omit<RollbackIntent, "operation">> = {}): RollbackIntent {
  return {
    operation: "rollback",
    nowMs: NOW_MS + 3_600_000,
    prefix: PREFIX,
    accept: [],
    oneTransaction: false,
    changeId: "change-1",
    leaveNewNodes: false,
    ...options,
  };
}

/** Plans over what the test has built. */
export function planOver(builder: ClusterBuilder, cidrs: string, options: Options = {}): Plan {
  return planChangePodCidr(changeIntent(cidrs, options), builder.build());
}

/** `node-1 10.112.0.0/24 -> 10.212.0.0/22 (index 0)` for each Node that changes. */
export function moves(plan: Plan): string[] {
  return plan.outline.nodes.map(
    ({ name, before, after, choices }) =>
      `${name} ${before.join(",") || "none"} -> ${after.join(",") || "none"} (${choices.join(", ")})`,
  );
}

/** Every Node's blocks as the plan leaves them, by name. */
export function blocksAfter(readSet: ReadSet, plan: Plan): Record<string, string> {
  return Object.fromEntries(
    applied(readSet, plan).nodes.map(({ name, podCidrs }) => [name, podCidrs.join(",")]),
  );
}

export function findingsOf(plan: Plan, code: string): Finding[] {
  return plan.findings.filter((finding) => finding.code === code);
}

export function codes(plan: Plan): string[] {
  return plan.findings.map(({ severity, code }) => `${severity} ${code}`);
}

export function isBlocked(plan: Plan): boolean {
  return blockersOf(plan).length > 0;
}

export function updates(plan: Plan): Extract<Change, { action: "update" }>[] {
  return plan.stages
    .flatMap(({ groups }) => groups.flat())
    .flatMap((change) => (change.action === "update" ? [change] : []));
}

/** The read set as it would be gathered once the plan is applied. */
export function applied(readSet: ReadSet, plan: Plan): ReadSet {
  const edits = new Map(updates(plan).map((change) => [change.key, change.edits]));
  return {
    ...readSet,
    revision: readSet.revision + 1000n,
    nodes: readSet.nodes.map((node) => editFacts(node, edits.get(node.key) ?? [])),
  };
}

function editFacts(node: NodeFacts, edits: readonly FieldEdit[]): NodeFacts {
  if (edits.length === 0) return node;
  const { podCidr: podCidrBefore, ...others } = node;
  const after = (path: string, before: FieldValue | undefined) => {
    const edit = edits.find((candidate) => candidate.path === path);
    return edit === undefined ? before : edit.new;
  };
  const podCidr = after("spec.podCIDR", podCidrBefore);
  const podCidrs = after("spec.podCIDRs", node.podCidrs);
  return {
    ...others,
    modRevision: node.modRevision + 1n,
    podCidrs: Array.isArray(podCidrs) ? podCidrs.map(String) : [],
    ...(podCidr === undefined ? {} : { podCidr: String(podCidr) }),
  };
}

/** The read set with other Nodes: some replaced or added, some left out. */
export function withNodes(
  readSet: ReadSet,
  nodes: readonly NodeFacts[],
  without: readonly string[] = [],
): ReadSet {
  const names = new Set([...nodes.map(({ name }) => name), ...without]);
  const kept = readSet.nodes.filter(({ name }) => !names.has(name));
  return {
    ...readSet,
    nodes: [...kept, ...nodes].sort((left, right) => compareNaturally(left.name, right.name)),
  };
}

export interface JournalOptions {
  readonly changeId?: string;
  /** Names of the Nodes that were written; default: all. */
  readonly written?: readonly string[];
  /** Names of those that were sent and not answered. */
  readonly doubtful?: readonly string[];
  readonly end?: EndRecord["state"] | null;
}

/** The records that a run of the plan leaves. */
export function recordsOf(plan: Plan, options: JournalOptions = {}): JournalRecord[] {
  const { changeId = "change-1", doubtful = [], end = "done" } = options;
  const names = new Map(plan.outline.nodes.map((node) => [node.key, node.name]));
  const written = new Set(options.written ?? [...names.values()]);
  const { id, cluster, readAt, intent, mode, nodeUids, outline } = plan;
  const isSent = ({ key }: { readonly key: string }) =>
    written.has(names.get(key) ?? "") || doubtful.includes(names.get(key) ?? "");
  const sent = updates(plan).filter(isSent);
  const committed = sent.filter(({ key }) => !doubtful.includes(names.get(key) ?? ""));
  return [
    {
      type: "begin",
      changeId,
      atMs: intent.nowMs,
      toolVersion: "0.1.0",
      host: "kube-1",
      user: "root",
      endpoint: "https://127.0.0.1:2379",
      plan: { id, cluster, readAt, intent, mode, nodeUids, families: outline.families },
    },
    ...updates(plan).flatMap(({ key, modRevision, sha256, edits }): JournalRecord[] => {
      const node = outline.nodes.find((candidate) => candidate.key === key);
      const value = Buffer.alloc(0);
      return node === undefined
        ? []
        : [{ type: "original", key, outline: node, modRevision, sha256, edits, value }];
    }),
    { type: "ready", originals: updates(plan).length },
    {
      type: "intent",
      txn: 1,
      keys: sent.map(({ key, modRevision }) => ({ key, modRevision, sha256: "sent" })),
    },
    { type: "committed", txn: 1, revision: readAt + 1n, keys: committed.map(({ key }) => key) },
    ...(end === null ? [] : [{ type: "end" as const, state: end, atMs: intent.nowMs + 1000 }]),
  ];
}

export function journaled(plan: Plan, options: JournalOptions = {}): JournaledChange {
  return foldJournal(recordsOf(plan, options));
}

/** The rollback of a plan that was carried out, over what the cluster is now. */
export function rollbackOver(
  now: ReadSet,
  change: JournaledChange,
  options: Partial<RollbackIntent> = {},
): Plan {
  return planRollback(rollbackIntent({ changeId: change.begin.changeId, ...options }), now, change);
}

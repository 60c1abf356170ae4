import { NODE_SELECTION, type NodeFacts, readNode } from "../objects/node.js";
import { checkOutcome, type Fault } from "../plan/check-outcome.js";
import type { Plan } from "../plan/plan.js";
import type { Etcd } from "../ports.js";
import type { Schema } from "../schema/schema.js";
import { createObjectReader } from "./object-reader.js";

export interface VerifyRequest {
  readonly etcd: Etcd;
  readonly schema: Schema;
  readonly plan: Plan;
  /** Keys that were not written because their Node is gone or another one. */
  readonly dropped: ReadonlySet<string>;
}

export interface Verification {
  /** The revision at which the Nodes were listed. */
  readonly revision: bigint;
  readonly nodes: readonly NodeFacts[];
  readonly faults: readonly Fault[];
}

// The blocks and who the Node is; the rest of it is of no concern here.
const SELECTION: readonly string[] = NODE_SELECTION.filter(
  (path) => !path.startsWith("status") && path !== "metadata.annotations",
);

/** The last act: lists all Nodes once more and checks them against the plan. */
export async function verify({ etcd, schema, plan, dropped }: VerifyRequest): Promise<Verification> {
  const { prefix } = plan.intent;
  const { revision } = await etcd.range({ key: `${prefix}/minions/`, keysOnly: true });
  const reader = createObjectReader({ etcd, schema, prefix, revision });
  const nodes: NodeFacts[] = [];
  await reader.each("minions/", "Node", SELECTION, async ({ key, value, modRevision }, object) => {
    nodes.push(readNode({ key, modRevision, sha256: "", valueBytes: value.length }, object));
  });
  const unreadable = reader.unreadable.map(({ key, why }) => ({ node: key, what: `cannot be read: ${why}` }));
  return { revision, nodes, faults: [...unreadable, ...checkOutcome(plan, nodes, dropped)] };
}

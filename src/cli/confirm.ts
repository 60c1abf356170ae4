import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import type { Plan } from "../plan/plan.js";
import { escapeText } from "./escape-text.js";
import type { Io } from "./io.js";

export interface Confirmation {
  readonly plan: Plan;
  readonly clusterName: string | undefined;
  readonly endpoint: string;
  readonly yes: boolean;
}

/** The operator types how many Nodes change. Throws `declined` for anything else, `no-terminal` where nobody can be asked. */
export async function confirm({ plan, clusterName, endpoint, yes }: Confirmation, io: Io): Promise<void> {
  if (yes) return;
  const { nodes } = plan.outline;
  if (!io.interactive) {
    throw new EtcdcidrError("no-terminal", {
      what: `will not change ${nodes.length} Nodes without a yes`,
      why: "there is no terminal to ask on",
      now: NOTHING_WRITTEN,
      next: "read the plan above, then give --yes",
    });
  }
  const { isCancel, text } = await import("@clack/prompts");
  const names = nodes.slice(0, 3).map(({ name }) => escapeText(name));
  const answer = await text({
    message:
      `Change ${nodes.length} Nodes (${names.join(", ")}${nodes.length > names.length ? ", ..." : ""}) ` +
      `of cluster ${escapeText(clusterName ?? plan.cluster.kubeSystemUid)} at ${endpoint}? Type ${nodes.length} to go on`,
  });
  if (!isCancel(answer) && answer.trim() === String(nodes.length)) return;
  throw new EtcdcidrError("declined", {
    what: "the change was not confirmed",
    why: `the answer was not ${nodes.length}`,
    now: NOTHING_WRITTEN,
    next: "run the command again",
  });
}

import { EtcdcidrError, NOTHING_BY_THIS_RUN, NOTHING_WRITTEN } from "../errors.js";
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
  const nodes = changingNodes(plan);
  const names = nodes.slice(0, 3).map(({ name }) => escapeText(name));
  const more = nodes.length > names.length ? ", ..." : "";
  const cluster = escapeText(clusterName ?? plan.cluster.kubeSystemUid);
  const question = `Change ${nodes.length} Node${nodes.length === 1 ? "" : "s"} (${names.join(", ")}${more}) of cluster ${cluster} at ${endpoint}`;
  const now = nodes.length < plan.outline.nodes.length ? NOTHING_BY_THIS_RUN : NOTHING_WRITTEN;
  await confirmCount({ question, count: nodes.length, yes, now }, io);
}

export interface CountToConfirm {
  readonly question: string;
  readonly count: number;
  readonly yes: boolean;
  /** What is true when the answer is no. */
  readonly now: string;
}

/** The same for any number of things. */
export async function confirmCount({ question, count, yes, now }: CountToConfirm, io: Io): Promise<void> {
  if (yes) return;
  if (!io.interactive) {
    throw new EtcdcidrError("no-terminal", {
      what: `will not go on with ${count} change${count === 1 ? "" : "s"} without a yes`,
      why: "there is no terminal to ask on",
      now,
      next: "read what is printed above, then give --yes",
    });
  }
  const answer = await io.ask(`${question}? Type ${count} to go on`);
  if (answer?.trim() === String(count)) return;
  throw new EtcdcidrError(answer === undefined ? "interrupted" : "declined", {
    what: "the change was not confirmed",
    why: answer === undefined ? "no answer was given" : `the answer was not ${count}`,
    now,
    next: "run the command again",
  });
}

/** The Nodes that are still to be written: in a resumed change not all of its Nodes. */
function changingNodes({ stages, outline }: Plan): Plan["outline"]["nodes"] {
  const keys = new Set(stages.flatMap(({ groups }) => groups.flat()).map(({ key }) => key));
  return outline.nodes.filter(({ key }) => keys.has(key));
}

import { EtcdcidrError } from "../errors.js";
import type { Journal } from "../ports.js";
import type { ApplyResult } from "../run/apply.js";
import { countOldPods } from "../run/count-pods.js";
import type { Verification } from "../run/verify.js";
import { escapeText } from "./escape-text.js";
import type { Execution } from "./execute-plan.js";
import type { Io } from "./io.js";
import { renderData } from "./render-data.js";
import { type PlanView, renderSteps } from "./render-plan.js";

export interface Finish extends Pick<ApplyResult, "committed" | "dropped"> {
  readonly execution: Execution;
  readonly view: PlanView;
  readonly journal: Journal;
  readonly verification: Verification;
}

/** Says what was done and what is left to do; throws `not-verified` when the store is not as the plan meant it. */
export async function finish(result: Finish, io: Io): Promise<number> {
  const { execution, view, journal, committed, dropped, verification } = result;
  const { session, options, plan } = execution;
  const request = {
    etcd: session.etcd,
    schema: session.schema,
    prefix: session.prefix,
    revision: verification.revision,
  };
  const oldPods = await countOldPods(request, verification.nodes);
  if (options.output === "text") io.out(renderFinish(result, oldPods));
  else {
    const data = {
      changeId: journal.changeId,
      journal: journal.directory,
      state: verification.faults.length === 0 ? "done" : "not-verified",
      verifiedAt: verification.revision,
      plan,
      written: committed,
      dropped,
      faults: verification.faults,
      podsWithOldAddresses: oldPods,
      afterwards: view.steps,
    };
    io.out(await renderData(data, options.output));
  }
  if (verification.faults.length > 0) throw notVerified(result);
  return 0;
}

function renderFinish(
  { view, journal, committed, dropped, verification }: Finish,
  oldPods: ReadonlyMap<string, number>,
): string {
  const pods = [...oldPods].map(([node, count]) => `${escapeText(node)} ${count}`);
  const lines = [
    "",
    `${committed.size} Nodes written, read back at revision ${verification.revision} (change ${journal.changeId})`,
    ...[...dropped].map(([key, reason]) => `left out: ${escapeText(key)}, ${reason} meanwhile`),
    "",
    "to be done now, outside etcd:",
    ...renderSteps(view.steps),
    pods.length === 0
      ? "  no Pod has an address of an old block"
      : `  renew the Pods that have addresses of the old blocks: ${pods.join(", ")}`,
    "",
    `the way back: etcdcidr rollback ${journal.changeId}`,
    `copy ${journal.directory} to another host: without it there is no way back`,
  ];
  return `${lines.join("\n")}\n`;
}

function notVerified({ verification, committed }: Finish): EtcdcidrError {
  const { faults } = verification;
  const next = faults.flatMap((fault) => fault.next ?? []);
  return new EtcdcidrError("not-verified", {
    what: `${faults.length} Node${faults.length === 1 ? " is" : "s are"} not as the plan meant`,
    why: faults.map(({ node, what }) => `${node} ${what}`).join("; "),
    now: `${committed.size} Nodes are written; kube-controller-manager may exit at its next start`,
    next:
      next.length > 0
        ? next.map((command) => `\`${command}\``).join(", then ")
        : "look at these Nodes before anything is restarted",
  });
}

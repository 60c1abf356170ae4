import { resolve } from "node:path";
import { EtcdcidrError } from "../errors.js";
import type { ChangeState } from "../plan/change-state.js";
import type { Journal } from "../ports.js";
import type { ApplyResult } from "../run/apply.js";
import { countOldPods } from "../run/count-pods.js";
import { type Verification, verify } from "../run/verify.js";
import { escapeText } from "./escape-text.js";
import type { Io } from "./io.js";
import { renderData } from "./render-data.js";
import { renderSteps } from "./render-plan.js";
import type { ChangeRun } from "./run-change.js";
import { showStopped } from "./show-stopped.js";

export interface Finish {
  readonly run: ChangeRun;
  readonly journal: Journal;
  readonly result: ApplyResult;
  /** Writes down how it ended. */
  readonly end: (state: ChangeState) => Promise<void>;
}

interface Checked extends Finish {
  readonly verification: Verification;
  readonly oldPods: ReadonlyMap<string, number>;
}

/**
 * Reads everything back, says what was done and what is left to do. Throws `not-verified` when the store is not as the plan
 * meant it, or cannot be read.
 */
export async function finish(finished: Finish, io: Io): Promise<number> {
  const checked = { ...finished, ...(await check(finished, io)) };
  const { faults } = checked.verification;
  await finished.end(faults.length === 0 ? "done" : "not-verified");
  const { output } = finished.run.options;
  const apart = faults.length > 0 ? "\n" : "";
  io.out(output === "text" ? renderFinish(checked) + apart : await renderData(resultData(checked), output));
  if (faults.length > 0) throw notVerified(checked);
  return 0;
}

async function check(
  { run, journal, result, end }: Finish,
  io: Io,
): Promise<Pick<Checked, "verification" | "oldPods">> {
  const { session, plan } = run;
  const { etcd, schema, prefix } = session;
  try {
    const verification = await verify({ etcd, schema, plan, dropped: new Set(result.dropped.keys()) });
    const { revision, nodes } = verification;
    return { verification, oldPods: await countOldPods({ etcd, schema, prefix, revision }, nodes) };
  } catch (error) {
    if (!(error instanceof EtcdcidrError)) throw error;
    await end("not-verified").catch(() => undefined);
    const now = `${result.committed.size} Nodes are written, and not read back`;
    const next = "when etcd answers again, look at the Nodes; `etcdcidr rollback` undoes the change";
    const unread = new EtcdcidrError("not-verified", { ...error.explanation, now, next }, { cause: error });
    await showStopped({ run, journal, result, state: "not-verified", error: unread }, io);
    throw unread;
  }
}

function resultData({ run, journal, result, verification, oldPods }: Checked): object {
  return {
    changeId: run.changeId,
    journal: journal.directory,
    state: verification.faults.length === 0 ? "done" : "not-verified",
    verifiedAt: verification.revision,
    plan: run.plan,
    written: result.committed,
    dropped: result.dropped,
    faults: verification.faults,
    podsWithOldAddresses: oldPods,
    afterwards: run.steps,
  };
}

function renderFinish({ run, journal, result, verification, oldPods }: Checked): string {
  const pods = [...oldPods].map(([node, count]) => `${escapeText(node)} ${count}`);
  const written = result.committed.size;
  const { changeId } = run;
  const lines = [
    `${written} Node${written === 1 ? "" : "s"} written, read back at revision ${verification.revision} (change ${changeId})`,
    ...[...result.dropped].map(([key, reason]) => `left out: ${escapeText(key)}, ${reason} meanwhile`),
    "",
    "to be done now, outside etcd:",
    ...renderSteps(run.steps),
    pods.length === 0
      ? "  no Pod has an address of an old block"
      : `  renew the Pods that have addresses of the old blocks: ${pods.join(", ")}`,
    "",
    ...wayBack(run, journal.directory),
  ];
  return `${lines.join("\n")}\n`;
}

function notVerified({ verification, result }: Checked): EtcdcidrError {
  const { faults } = verification;
  const next = faults.flatMap((fault) => fault.next ?? []);
  return new EtcdcidrError("not-verified", {
    what: `${faults.length} Node${faults.length === 1 ? " is" : "s are"} not as the plan meant`,
    why: faults.map(({ node, what }) => `${node} ${what}`).join("; "),
    now: `${result.committed.size} Nodes are written; kube-controller-manager may exit at its next start`,
    next:
      next.length > 0
        ? next.map((command) => `\`${command}\``).join(", then ")
        : "look at these Nodes before anything is restarted",
  });
}

/** Bytes that nobody could read are not worth going back to. */
function wayBack(run: ChangeRun, directory: string): string[] {
  if (run.plan.intent.operation === "restore-unreadable") return [];
  return [
    `the way back: etcdcidr rollback ${run.changeId}${placeFlags(run)}`,
    `copy ${directory} to another host: without it there is no way back`,
  ];
}

/** What was given to find etcd and the journals: without it the way back looks in other places. */
function placeFlags({ options, session }: ChangeRun): string {
  const endpoints = options.endpoints === undefined ? "" : ` --endpoints ${session.etcd.endpoint}`;
  const directory = options.journalDir === undefined ? "" : ` --journal-dir ${resolve(options.journalDir)}`;
  return escapeText(`${endpoints}${directory}`);
}

import type { EtcdcidrError } from "../errors.js";
import type { ChangeState } from "../plan/change-state.js";
import type { Journal } from "../ports.js";
import type { ApplyResult } from "../run/apply.js";
import type { Io } from "./io.js";
import { renderData } from "./render-data.js";
import type { ChangeRun } from "./run-change.js";

export interface Stopped {
  readonly run: ChangeRun;
  readonly journal: Journal;
  readonly result: ApplyResult;
  readonly state: ChangeState;
  readonly error: EtcdcidrError;
}

/** A person reads the error; a program also needs to know which Nodes are written. */
export async function showStopped(stopped: Stopped, io: Io): Promise<void> {
  const { output } = stopped.run.options;
  if (output !== "text") io.out(await renderData(stoppedData(stopped), output));
}

/** What a program is told of a run that did not come to its end: the members of a result, as far as they are known. */
function stoppedData({ run, journal, result, state, error }: Stopped): object {
  const { committed, dropped } = result;
  const keys = run.plan.outline.nodes.map(({ key }) => key);
  return {
    changeId: run.changeId,
    journal: journal.directory,
    state,
    plan: run.plan,
    written: committed,
    dropped,
    left: keys.filter((key) => !committed.has(key) && !dropped.has(key)),
    error: { code: error.code, ...error.explanation },
    afterwards: run.steps,
  };
}

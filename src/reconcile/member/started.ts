import { formatId, type ListedMember } from "../cluster-state.js";
import { type ClusterView, lagsIn, quorumWithOneMore, statusIn } from "./cluster-view.js";
import { doStep, type MemberDecision, refuse, wait } from "./decision.js";
import { startRefusals } from "./host-refusals.js";
import type { MemberObservation, WantedMember } from "./observed.js";
import { type MemberRefusal, standingRefusals } from "./refusal.js";

/** A member whose own data are in place: it is never wiped, only started, awaited and promoted (S9, S8, S8a, S7). */
export function decideStarted(
  entry: ListedMember,
  view: ClusterView,
  observed: MemberObservation,
  wanted: WantedMember,
  accepted: readonly string[],
): MemberDecision {
  const id = formatId(entry.id);
  const elsewhere = standingRefusals(runsElsewhere(entry, view, observed), accepted);
  if (elsewhere.length > 0) return refuse("S7", elsewhere);
  if (statusIn(view, entry.id) !== undefined && entry.name !== "") {
    if (!isCaughtUp(entry, view)) return wait(entry.isLearner ? "S8" : "S9", `${entry.name} has caught up`);
    if (!entry.isLearner) return { state: "S9", next: { kind: "done" }, refusals: [] };
    const quorum = { before: view.quorum, after: quorumWithOneMore(view) };
    return doStep("S8", { kind: "promote", member: entry, quorum });
  }
  if (observed.process.isRunning || observed.startedId === entry.id)
    return wait("S8a", `member ${id} answers on its client port`);
  const standing = standingRefusals(startRefusals(view, observed.host), accepted);
  if (standing.length > 0) return refuse("S7", standing);
  return wanted.controlsProcess
    ? doStep("S7", { kind: "start", member: entry, joins: false })
    : wait("S7", "etcd is started on this host, with the data it has");
}

/** Two processes with one identity would break what each has promised the others. */
function runsElsewhere(
  { id }: ListedMember,
  view: ClusterView,
  { process }: MemberObservation,
): readonly MemberRefusal[] {
  if (process.isRunning || statusIn(view, id) === undefined) return [];
  return [
    {
      code: "target-alive",
      what: `member ${formatId(id)} answers, and etcd does not run on this host`,
      next: "find the host that runs it; a copy of its data must not be started beside it",
    },
  ];
}

/** Entries that a learner may be behind when it is promoted. */
const MAX_GAP = 100n;
const POLLS = 2;

/** In two polls one after the other. etcd itself asks for nine tenths of the leader's index (server.go, isLearnerReady). */
function isCaughtUp({ id }: ListedMember, view: ClusterView): boolean {
  const lags = lagsIn(view, id).slice(-POLLS);
  const applied = statusIn(view, id)?.appliedIndex ?? 0n;
  return lags.length === POLLS && lags.every((lag) => lag <= MAX_GAP && applied >= 9n * lag);
}

import { formatId, type ListedMember, labelOf } from "../cluster-state.js";
import { quorumOf } from "../quorum.js";
import { clusterRefusals } from "./cluster-refusals.js";
import { type ClusterView, isLive, quorumWithout, statusIn } from "./cluster-view.js";
import { doStep, type MemberDecision, type MemberState, refuse, wait } from "./decision.js";
import { hostRefusals, startRefusals } from "./host-refusals.js";
import type { MemberObservation, WantedMember } from "./observed.js";
import { type MemberRefusal, standingRefusals } from "./refusal.js";
import { removalRefusals } from "./removal-refusals.js";
import type { MemberStep } from "./step.js";

interface Joining {
  readonly entry: ListedMember | undefined;
  readonly view: ClusterView;
  readonly observed: MemberObservation;
  readonly wanted: WantedMember;
}

/** A member whose own data are not in place: stop, remove, archive, add, start (S2, S6, S5, S3, S4, S1). */
export function decideJoining(joining: Joining, accepted: readonly string[]): MemberDecision {
  const { entry, observed, wanted } = joining;
  const { isRunning, why } = observed.process;
  const state = stateOf(joining);
  if (state === "S4" && entry !== undefined && isStarting(entry, observed, wanted))
    return wait("S8a", `member ${formatId(entry.id)} has joined`);
  const standing = standingRefusals(refusalsIn(state, joining), accepted);
  if (!isRunning) return standing.length > 0 ? refuse(state, standing) : decide(state, joining);
  const stopping = [...standing, ...stopRefusals(joining)];
  const all = wanted.controlsProcess ? stopping : [processRunning(why), ...stopping];
  return all.length > 0 ? refuse("S2", all) : doStep("S2", { kind: "stop", why });
}

function stateOf({ entry, observed }: Joining): "S1" | "S3" | "S4" | "S5" | "S6" {
  const isEmpty = observed.data.kind === "empty";
  if (entry === undefined) return isEmpty ? "S1" : "S3";
  if (entry.name !== "") return "S6";
  return isEmpty ? "S4" : "S5";
}

/** etcd listens before it has asked the others and has written anything. */
function isStarting(entry: ListedMember, observed: MemberObservation, wanted: WantedMember): boolean {
  return observed.startedId === entry.id || (observed.process.isRunning && !wanted.controlsProcess);
}

/** What is added already has to be brought to its end, whatever has been noticed since. */
function refusalsIn(state: MemberState, joining: Joining): readonly MemberRefusal[] {
  const { entry, view, observed, wanted } = joining;
  if (state === "S4" || state === "S5") return startRefusals(view, observed.host);
  const removal = state === "S6" && entry !== undefined ? removalRefusals(entry, removalOf(entry, view)) : [];
  return [...removal, ...clusterRefusals(view, entry), ...hostRefusals(view, observed.host, wanted, entry)];
}

function removalOf(entry: ListedMember, view: ClusterView) {
  const answers = statusIn(view, entry.id) !== undefined;
  return { before: view.quorum, after: quorumWithout(view, entry), answers };
}

function decide(state: MemberState, joining: Joining): MemberDecision {
  const { entry, view, observed, wanted } = joining;
  if (state === "S3" || state === "S5") return doStep(state, archive(joining));
  if (entry === undefined)
    return doStep(state, {
      kind: "add",
      peerUrl: wanted.peerUrl,
      quorum: { before: view.quorum, after: view.quorum },
    });
  if (state === "S6") return doStep(state, remove(entry, view, "its data are lost"));
  if (observed.wasRendered) return recycle(entry, view, observed);
  return wanted.controlsProcess
    ? doStep(state, { kind: "start", member: entry, joins: true })
    : wait(state, "etcd is started on this host with the four lines");
}

function remove(member: ListedMember, view: ClusterView, why: string): MemberStep {
  const { before, after } = removalOf(member, view);
  return { kind: "remove", member, why, quorum: { before, after } };
}

function archive({ entry, observed: { data } }: Joining): MemberStep {
  const why =
    entry === undefined
      ? "they are of a member that is removed"
      : `they are not of member ${formatId(entry.id)}`;
  return data.kind === "wal" ? { kind: "archive", memberId: data.memberId, why } : { kind: "archive", why };
}

const MAX_RECYCLES = 2;

/** An id that was in use and whose log is gone makes etcd panic, or forget what it has voted: it needs a new one. */
function recycle(entry: ListedMember, view: ClusterView, { recycles }: MemberObservation): MemberDecision {
  if (recycles < MAX_RECYCLES)
    return doStep("S4", remove(entry, view, "it may have been started, and its data are lost"));
  return refuse("S4", [
    {
      code: "recycled-too-often",
      what: `member ${formatId(entry.id)} lost its data after each of ${recycles + 1} starts`,
      next: "look at etcd's log on this host (crictl logs, or journalctl -u etcd)",
    },
  ]);
}

/** What runs here may vote, though its data are not in this data directory. */
function stopRefusals({ entry, view }: Joining): readonly MemberRefusal[] {
  if (entry === undefined || entry.isLearner || !isLive(view, entry.id)) return [];
  const { voters, live } = view.quorum;
  const after = quorumOf(voters, live - 1);
  if (after.spare >= 0) return [];
  return [
    {
      code: "quorum-at-risk",
      what: `what runs here votes as ${labelOf(entry)}; without it, ${after.live} of ${voters} voters would be live, and ${after.needed} are needed`,
      next: "bring the voters that do not answer back first",
    },
  ];
}

function processRunning(why: string): MemberRefusal {
  return {
    code: "process-running",
    what: `etcd still runs on this host: ${why}`,
    next: "stop it (move its manifest out of the directory, or systemctl stop etcd), then run again",
  };
}

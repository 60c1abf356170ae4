import { type ClusterObservation, type ListedMember, statusOf } from "./cluster-state.js";
import { twoClusters } from "./member/cluster-refusals.js";
import { type ClusterView, viewCluster } from "./member/cluster-view.js";
import { dataRefusals } from "./member/data-refusals.js";
import { type MemberDecision, refuse, wait } from "./member/decision.js";
import { confirmedList, findEntry } from "./member/find-entry.js";
import { decideJoining } from "./member/joining.js";
import { noQuorum } from "./member/no-quorum.js";
import type { DataDirectory, MemberObservation, WantedMember } from "./member/observed.js";
import { standingRefusals } from "./member/refusal.js";
import { decideStarted } from "./member/started.js";

/**
 * The one next thing on the way of a lost member back into its cluster, from what is observed alone: nothing is remembered, so
 * that a run may end anywhere and the next one goes on. `accepted` are codes of refusals.
 */
export function nextMemberStep(
  observed: MemberObservation,
  wanted: WantedMember,
  accepted: readonly string[],
): MemberDecision {
  const list = confirmedList(observed.cluster);
  if (list === undefined) return refuse("X0", [noQuorum(observed.cluster)]);
  const view = viewCluster(observed.cluster, list);
  const { entry, refusals } = findEntry(wanted, list.members);
  const own = ownData(observed.data, view, entry);
  // A new address of a member that has its data is changed in the list, not by adding it anew.
  const ambiguous = standingRefusals([...refusals, ...twoClusters(view, entry)], own ? [] : accepted);
  if (ambiguous.length > 0) return refuse("X1", ambiguous);
  const unsettled = unsettledUntil(observed.cluster, view);
  if (unsettled !== undefined) return wait("X1", unsettled);
  const foreign = standingRefusals(dataRefusals(observed.data, list), accepted);
  if (foreign.length > 0) return refuse("X2", foreign);
  return own && entry !== undefined
    ? decideStarted(entry, view, observed, wanted, accepted)
    : decideJoining({ entry, view, observed, wanted }, accepted);
}

function ownData(data: DataDirectory, { list }: ClusterView, entry: ListedMember | undefined): boolean {
  return data.kind === "wal" && data.memberId === entry?.id && data.clusterId === list.clusterId;
}

/** Lists and leaders differ for a moment after each change. */
function unsettledUntil({ endpoints }: ClusterObservation, { list }: ClusterView): string | undefined {
  const lists = endpoints
    .flatMap((each) => each.list ?? [])
    .filter(({ read, clusterId }) => read === "linearizable" && clusterId === list.clusterId);
  if (new Set(lists.map((each) => idsOf(each.members))).size > 1) return "all members have the same list";
  const leaders = endpoints.flatMap((each) => {
    const status = statusOf(each);
    return status?.clusterId === list.clusterId && status.leader !== 0n ? [status.leader] : [];
  });
  return new Set(leaders).size > 1 ? "all members know the same leader" : undefined;
}

function idsOf(members: readonly ListedMember[]): string {
  return members
    .map(({ id, name, isLearner }) => `${id} ${name} ${isLearner}`)
    .sort()
    .join(",");
}

import type { EndpointAnswer, ListedMember, MemberStatus } from "../../src/reconcile/cluster-state.js";
import type {
  DataDirectory,
  LocalProcess,
  MemberObservation,
  WantedMember,
} from "../../src/reconcile/member/observed.js";
import { answer, CLUSTER, member, observation, silent, status } from "./cluster-scene.js";

export const WANTED: WantedMember = {
  name: "kube-3",
  peerUrl: "https://10.0.0.3:2380",
  controlsProcess: true,
};

/** A member that answered both polls alike. */
export function live(
  n: number,
  members: readonly ListedMember[],
  more: Partial<MemberStatus> = {},
): EndpointAnswer {
  const told = answer(n, members, { polls: [status(n, more), status(n, more)] });
  const { list: _none, ...withoutList } = told;
  return more.isLearner === true ? withoutList : told;
}

type Wal = Extract<DataDirectory, { readonly kind: "wal" }>;

export const OWN_DATA: Wal = { kind: "wal", memberId: 3n, clusterId: CLUSTER };
export const EMPTY: DataDirectory = { kind: "empty" };
export const RUNNING: LocalProcess = { isRunning: true, why: "something listens on https://10.0.0.3:2380" };
export const STOPPED: LocalProcess = { isRunning: false, why: "" };

/** kube-1 and kube-2 are well; what stands in the list besides them and what the host is like is given. */
export function observed(
  others: readonly ListedMember[],
  more: Partial<MemberObservation> = {},
  endpoints?: (members: readonly ListedMember[]) => readonly EndpointAnswer[],
): MemberObservation {
  const members = [member(1), member(2), ...others];
  const answers = endpoints?.(members) ?? [
    live(1, members),
    live(2, members),
    ...others.filter(({ clientUrls }) => clientUrls.length > 0).map(({ id }) => silent(Number(id))),
  ];
  return {
    cluster: observation(answers),
    data: EMPTY,
    process: STOPPED,
    host: { nowMs: 0 },
    wasRendered: false,
    recycles: 0,
    ...more,
  };
}

/** Added, and never started. */
export function unnamed(n: number, isLearner = true): ListedMember {
  return member(n, { name: "", clientUrls: [], isLearner });
}

/** All three answer, kube-3 as given. */
export function withThird(
  third: ListedMember,
  more: Partial<MemberStatus> = {},
): (members: readonly ListedMember[]) => readonly EndpointAnswer[] {
  return (members) => [
    live(1, members),
    live(2, members),
    live(Number(third.id), members, { isLearner: third.isLearner, ...more }),
  ];
}

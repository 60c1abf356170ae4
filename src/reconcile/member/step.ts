import { formatId, type ListedMember } from "../cluster-state.js";
import type { Quorum } from "../quorum.js";
import type { WantedMember } from "./observed.js";

/** One thing to do; each changes exactly one thing that is observed. */
export type MemberStep =
  | { readonly kind: "stop"; readonly why: string }
  | {
      readonly kind: "remove";
      readonly member: ListedMember;
      readonly why: string;
      readonly quorum: QuorumChange;
    }
  /** `memberId` is absent for data that tell none. */
  | { readonly kind: "archive"; readonly memberId?: bigint; readonly why: string }
  | { readonly kind: "add"; readonly peerUrl: string; readonly quorum: QuorumChange }
  /** `joins`: it has no data, and needs the configuration of the list as it is now. */
  | { readonly kind: "start"; readonly member: ListedMember; readonly joins: boolean }
  | { readonly kind: "promote"; readonly member: ListedMember; readonly quorum: QuorumChange };

export interface QuorumChange {
  readonly before: Quorum;
  readonly after: Quorum;
}

/** An id that only the add will tell. */
export const NEW_ID = 0n;

function idText(id: bigint): string {
  return id === NEW_ID ? "<new id>" : formatId(id);
}

/** What the step does, for a numbered plan. */
export function describeStep(step: MemberStep): string {
  switch (step.kind) {
    case "stop":
      return `stop etcd on this host: ${step.why}`;
    case "remove":
      return `remove member ${idText(step.member.id)} from the list: ${step.why}`;
    case "archive":
      return `move the data aside${step.memberId === undefined ? "" : ` (of member ${idText(step.memberId)})`}: ${step.why}`;
    case "add":
      return `add ${step.peerUrl} as a learner`;
    case "start":
      return step.joins
        ? `start etcd with the members as they are listed then, to join as ${idText(step.member.id)}`
        : `start etcd with the data it has, as ${idText(step.member.id)}`;
    case "promote":
      return `promote learner ${idText(step.member.id)} to a voter`;
  }
}

/** The same by hand; undefined for what etcdctl cannot do. */
export function etcdctlLine(step: MemberStep, { name, peerUrl }: WantedMember): string | undefined {
  switch (step.kind) {
    case "remove":
      return `etcdctl member remove ${idText(step.member.id)}`;
    case "add":
      return `etcdctl member add ${name} --learner --peer-urls=${peerUrl}`;
    case "promote":
      return `etcdctl member promote ${idText(step.member.id)}`;
    default:
      return undefined;
  }
}

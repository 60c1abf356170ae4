import { formatId, type ListedMember, labelOf } from "../cluster-state.js";
import type { Quorum } from "../quorum.js";
import type { MemberRefusal } from "./refusal.js";

/** What speaks against taking this member out of the list: what it still is, and what would be left. */
export function removalRefusals(
  member: ListedMember,
  { before, after, answers }: { readonly before: Quorum; readonly after: Quorum; readonly answers: boolean },
): readonly MemberRefusal[] {
  return [...targetAlive(member, answers), ...(member.isLearner ? [] : leftOver(member, before, after))];
}

function targetAlive(member: ListedMember, answers: boolean): readonly MemberRefusal[] {
  if (!answers) return [];
  return [
    {
      code: "target-alive",
      what: `member ${formatId(member.id)} (${labelOf(member)}) answers, and its data are not in this data directory`,
      next: "check the host, --name, --peer-url and --data-dir: what runs is not to be removed",
    },
  ];
}

function leftOver(member: ListedMember, before: Quorum, after: Quorum): readonly MemberRefusal[] {
  const would = `without ${labelOf(member)}, ${after.live} of ${after.voters} voters would be live, and ${after.needed} are needed`;
  if (after.voters === 0)
    return [
      {
        code: "last-member",
        what: `${labelOf(member)} is the only voter`,
        next: "restore a snapshot: `etcdutl snapshot restore`",
      },
    ];
  if (after.spare < 0)
    return [{ code: "quorum-at-risk", what: would, next: "bring the voters that do not answer back first" }];
  if (after.spare === 0 && before.spare > 0)
    return [
      { code: "no-spare", what: `${would}: none more could fail`, next: "bring another voter back first" },
    ];
  return [];
}

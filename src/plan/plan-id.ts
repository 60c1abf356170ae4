import { sha256Hex } from "../storage/digest.js";
import { toJson } from "./json.js";
import type { Change, Plan } from "./plan.js";

/** The same content gives the same id: 12 hex digits. The outline is left out, which follows from the rest. */
export function planId({ cluster, readAt, intent, mode, stages, findings }: Omit<Plan, "id">): string {
  const changes = stages.flatMap(({ name, groups }) => [
    name,
    ...groups.map((group) => group.map(describe).join()),
  ]);
  return sha256Hex(`${toJson({ cluster, readAt, intent, mode, findings })}\n${changes.join("\n")}`).slice(
    0,
    12,
  );
}

/** Put together by hand: a plan may have many thousands of them. */
function describe(change: Change): string {
  if (change.action !== "update") return toJson(change);
  const { key, modRevision, sha256, edits } = change;
  return `${key} ${modRevision} ${sha256} ${toJson(edits)}`;
}

import { EtcdcidrError } from "../errors.js";
import type { FieldEdit, FieldValue } from "../schema/field-edit.js";
import { sha256Hex } from "../storage/digest.js";
import type { Intent } from "./intent.js";
import { toJson } from "./json.js";
import type { Plan } from "./plan.js";

/** A saved plan, as far as `apply` needs it: it plans again from the intent and compares the edits. */
export interface SavedPlan {
  readonly id: string;
  readonly cluster: { readonly etcdId: bigint; readonly kubeSystemUid: string };
  readonly intent: Intent;
  readonly updates: readonly SavedUpdate[];
}

export interface SavedUpdate {
  readonly key: string;
  readonly edits: readonly FieldEdit[];
}

const FORMAT = "etcdcidr plan, version 1";

/** The file's text: JSON with a checksum over the plan, so that an altered file is refused. */
export function formatPlanFile(plan: Plan): string {
  const content: unknown = JSON.parse(toJson(plan));
  return `${JSON.stringify({ format: FORMAT, sha256: checksum(content), plan: content }, undefined, 2)}\n`;
}

/** Throws `plan-altered` for anything but the text that `formatPlanFile` made. */
export function parsePlanFile(text: string): SavedPlan {
  const file = parseFile(text);
  if (checksum(file.plan) !== file.sha256) throw altered("its checksum does not match its content");
  const { id, cluster, intent, stages } = file.plan;
  return {
    id,
    cluster: { etcdId: BigInt(cluster.etcdId), kubeSystemUid: cluster.kubeSystemUid },
    intent,
    updates: stages.flatMap(({ groups }) => groups.flat()).map(({ key, edits }) => ({ key, edits })),
  };
}

/** Over the text of what was parsed: a parser puts names such as `10` first, as a Node may be called. */
function checksum(content: unknown): string {
  return sha256Hex(JSON.stringify(content ?? null));
}

interface PlanFile {
  readonly format: string;
  readonly sha256: string;
  readonly plan: {
    readonly id: string;
    readonly cluster: { readonly etcdId: string; readonly kubeSystemUid: string };
    readonly intent: Intent;
    readonly stages: readonly { readonly groups: readonly (readonly SavedUpdate[])[] }[];
  };
}

function parseFile(text: string): PlanFile {
  let file: PlanFile;
  try {
    file = JSON.parse(text) as PlanFile;
  } catch (error) {
    throw altered("it is not JSON", error);
  }
  if (file === null || typeof file !== "object" || file.format !== FORMAT)
    throw altered(`it does not say "${FORMAT}"`);
  return file;
}

function altered(why: string, cause?: unknown): EtcdcidrError {
  return new EtcdcidrError(
    "plan-altered",
    {
      what: "cannot use this plan file",
      why,
      now: "nothing was written",
      next: "make the plan again with --dry-run --out",
    },
    { cause },
  );
}

/** What `apply` would read from this plan's file. */
export function toSavedPlan(plan: Plan): SavedPlan {
  const { id, cluster, intent } = plan;
  return {
    id,
    cluster,
    intent,
    updates: plan.stages
      .flatMap(({ groups }) => groups.flat())
      .flatMap((change) => (change.action === "update" ? [{ key: change.key, edits: change.edits }] : [])),
  };
}

/** A field that the plan made now does not edit as the saved one does. */
export interface EditDifference {
  readonly key: string;
  readonly path: string;
  /** `10.112.6.0/24 -> 10.212.24.0/22`; absent: it is not edited. */
  readonly planned?: string;
  readonly now?: string;
}

/** Where the plan made now differs from the saved one, a field each. */
export function differencesFrom(saved: SavedPlan, plan: Plan): readonly EditDifference[] {
  const now = editsByField(toSavedPlan(plan));
  const then = editsByField(saved);
  return [...new Map([...then, ...now])].flatMap(([field, { key, path }]) => {
    const [planned, made] = [then.get(field)?.text, now.get(field)?.text];
    if (planned === made) return [];
    const before = planned === undefined ? {} : { planned };
    return [{ key, path, ...before, ...(made === undefined ? {} : { now: made }) }];
  });
}

interface EditOfField {
  readonly key: string;
  readonly path: string;
  readonly text: string;
}

function editsByField({ updates }: SavedPlan): ReadonlyMap<string, EditOfField> {
  return new Map(
    updates.flatMap(({ key, edits }) =>
      edits.map((edit) => [`${key} ${edit.path}`, { key, path: edit.path, text: editText(edit) }]),
    ),
  );
}

function editText({ old, new: made }: FieldEdit): string {
  return `${valueText(old)} -> ${valueText(made)}`;
}

function valueText(value: FieldValue | undefined): string {
  if (value === undefined) return "(none)";
  if (Array.isArray(value)) return value.map(valueText).join(",");
  return typeof value === "string" ? value : toJson(value);
}

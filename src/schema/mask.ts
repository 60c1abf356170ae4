import type { Field, Message } from "./descriptor.js";
import { parsePath, type Segment } from "./path.js";

/** Which fields of a message are read, by the field's index: wholly, in part, or skipped. */
export type Mask = true | readonly (Mask | undefined)[];

/** The fields on the way to one that the API shows under this name, through inline structs; undefined if there is none. */
export function findField(message: Message, name: string): Field[] | undefined {
  const direct = message.fields.find((field) => field.name === name);
  if (direct) return [direct];
  for (const field of message.fields) {
    if (field.name !== "" || !field.message) continue;
    const inner = findField(field.message, name);
    if (inner) return [field, ...inner];
  }
  return undefined;
}

/** The mask that reads what is under one of the dotted paths; a path that the message does not have reads nothing. */
export function maskOf(message: Message, selection: readonly string[]): Mask {
  return unite(
    message,
    selection.map((path) => parsePath(path)),
  );
}

function unite(message: Message, paths: readonly (readonly Segment[])[]): Mask {
  const mask: (Mask | undefined)[] = [];
  const further = new Map<Field, (readonly Segment[])[]>();
  for (const [first, ...rest] of paths) {
    if (first?.kind !== "name") return true;
    const [field, ...inner] = findField(message, first.name) ?? [];
    if (!field) continue;
    further.set(field, [...(further.get(field) ?? []), inner.length > 0 ? [first, ...rest] : rest]);
  }
  for (const [field, rests] of further) {
    const isWhole = !field.message || field.shape === "map" || rests.some((rest) => rest.length === 0);
    mask[field.index] = isWhole ? true : unite(field.message, rests.map(belowElement));
  }
  return mask;
}

/** A list is read for all its elements. */
function belowElement(path: readonly Segment[]): readonly Segment[] {
  return path[0]?.kind === "index" ? path.slice(1) : path;
}

import type { Step } from "../storage/splice.js";
import { fieldJson } from "./api-json.js";
import { type Decoded, type DecodedField, isDecoded } from "./decode.js";
import type { Field, Message } from "./descriptor.js";
import type { FieldValue } from "./field-edit.js";
import { findField, type Mask } from "./mask.js";
import { badPath, parsePath, type Segment } from "./path.js";

/** One field on the way of a path, and which of its elements the path goes through. */
export interface Place {
  readonly field: Field;
  readonly element?: { readonly index: number } | { readonly key: string };
}

/** A path followed through a kind's layout. */
export interface Target {
  readonly path: string;
  readonly places: readonly Place[];
  /** The last place: the field that is read or edited. */
  readonly leaf: Place;
}

/** Follows a path from a kind's message; throws `usage`, naming the known fields, where it leads nowhere. */
export function resolve(message: Message, path: string): Target {
  const segments = parsePath(path);
  const places: Place[] = [];
  let current: Message = message;
  for (let at = 0; at < segments.length; at++) {
    const fields = fieldsFor(current, segments[at], path);
    const field = fields.at(-1);
    if (!field) throw badPath(path, "it names no field");
    const element = elementOf(field, segments[at + 1], path);
    places.push(...fields.slice(0, -1).map((inline) => ({ field: inline })));
    places.push(element ? { field, element } : { field });
    if (element) at++;
    if (at < segments.length - 1) current = messageBelow(field, path);
  }
  const leaf = places.at(-1);
  if (!leaf) throw badPath(path, "it names no field");
  return { path, places, leaf };
}

function messageBelow(field: Field, path: string): Message {
  if (field.kind === "m" && field.shape !== "map" && field.message) return field.message;
  throw badPath(path, `it goes on below ${field.name}, which has no fields`);
}

function fieldsFor(message: Message, segment: Segment | undefined, path: string): Field[] {
  if (segment?.kind !== "name") throw badPath(path, `${message.name} is neither a list nor a map`);
  const fields = findField(message, segment.name);
  if (!fields)
    throw badPath(path, `${segment.name} is no field of ${message.name}: ${namesOf(message).join(", ")}`);
  return fields;
}

function namesOf(message: Message): string[] {
  return message.fields.flatMap((field) =>
    field.name === "" && field.message ? namesOf(field.message) : [field.name],
  );
}

/** The element that the next segment picks; a map takes a plain name for its key too. */
function elementOf(field: Field, next: Segment | undefined, path: string): Place["element"] | undefined {
  if (next?.kind === "index" && field.shape === "list") return { index: next.index };
  if (next && next.kind !== "index" && field.shape === "map") {
    return { key: next.kind === "key" ? next.key : next.name };
  }
  if (next && field.shape !== "single") throw badPath(path, `${field.name} is a ${field.shape}`);
  if (next && next.kind !== "name") throw badPath(path, `${field.name} is no list or map`);
  return undefined;
}

/** The steps that the splice takes: a map's entry holds its value in field 2. */
export function stepsOf(target: Target): Step[] {
  return target.places.flatMap(({ field, element }) => {
    const step: Step = { number: field.number, name: field.name, ...(element ? { element } : {}) };
    return element && "key" in element ? [step, { number: 2, name: "value" }] : [step];
  });
}

/** The mask that reads the target alone. */
export function maskTo(target: Target): Mask {
  return target.places.reduceRight<Mask>((inner, { field }) => {
    const mask: (Mask | undefined)[] = [];
    mask[field.index] = inner;
    return mask;
  }, true);
}

/** Walks from a decoded object to a target and shows what is there, zero or not; undefined if nothing is. */
export function fieldAt(key: string, root: Decoded, places: readonly Place[]): FieldValue | undefined {
  const [place, ...below] = places;
  const value = place && pick(root.values[place.field.index], place.element);
  if (place === undefined || value === undefined) return undefined;
  if (below.length === 0) return fieldJson(key, place.field, value);
  return isDecoded(value) ? fieldAt(key, value, below) : undefined;
}

function pick(value: DecodedField | undefined, element: Place["element"]): DecodedField | undefined {
  if (!element) return value;
  if ("index" in element) return Array.isArray(value) ? value[element.index] : undefined;
  return value instanceof Map ? value.get(element.key) : undefined;
}

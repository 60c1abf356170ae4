import type { Descriptor } from "./descriptor.js";

/** One field on the way of an edit, as the second reader follows it through the descriptor's text. */
export interface RouteStep {
  readonly number: number;
  /** The descriptor's kind letter. */
  readonly kind: string;
  readonly shape: "single" | "list" | "map";
  /** The element of a list or the key of a map that the way goes through. */
  readonly pick?: number | string;
}

/** The fields from a kind's message to the field that a path names. */
export function routeTo(descriptor: Descriptor, kind: string, path: string): RouteStep[] {
  const steps: RouteStep[] = [];
  const tokens = path.match(/\["(?:[^"\\]|\\.)*"\]|\[\d+\]|[^.[\]]+/g) ?? [];
  let message = descriptor.kinds[kind] ?? "";
  for (let at = 0; at < tokens.length; at++) {
    for (const { step, type } of fieldsNamed(descriptor, message, tokens[at] ?? "")) {
      steps.push(step);
      message = type;
    }
    const last = steps.at(-1);
    if (!last) throw new RangeError(`${path} is no path of ${kind}`);
    const next = tokens[at + 1];
    if (next === undefined || last.shape === "single") continue;
    steps.splice(-1, 1, { ...last, pick: pickOf(next) });
    at++;
  }
  return steps;
}

function pickOf(token: string): number | string {
  if (/^\[\d+\]$/.test(token)) return Number(token.slice(1, -1));
  return token.startsWith("[") ? String(JSON.parse(token.slice(1, -1))) : token;
}

interface NamedField {
  readonly step: RouteStep;
  /** Full name of the field's message. */
  readonly type: string;
}

/** The field of that JSON name, behind the inline structs that hold it. */
function fieldsNamed(descriptor: Descriptor, message: string, name: string): NamedField[] {
  const [, folder = "", own = ""] = /^(.*)\.(.*)$/.exec(message) ?? [];
  const fields = (descriptor.messages[folder]?.[own] ?? "").split(",").map((text) => text.split(" "));
  const found = fields.find(([json]) => json === name);
  if (found) return [namedField(found, folder)];
  for (const inline of fields.filter(([json]) => json === "")) {
    const outer = namedField(inline, folder);
    const inner = outer.type === "" ? [] : fieldsNamed(descriptor, outer.type, name);
    if (inner.length > 0) return [outer, ...inner];
  }
  return [];
}

function namedField([, layout = "", type = ""]: readonly string[], folder: string): NamedField {
  const [, number, kind = "", mark] = /^(\d+)([a-zA-Z])([*%]?)/.exec(layout) ?? [];
  const shape = mark === "*" ? "list" : mark === "%" ? "map" : "single";
  return {
    step: { number: Number(number), kind, shape },
    type: type === "" || type.includes(".") ? type : `${folder}.${type}`,
  };
}

/** A field of an API object: its path, and the value shown there. */
export interface Leaf {
  readonly path: string;
  readonly value: unknown;
}

/** Every scalar, and every list of scalars, in an object of API JSON; the envelope's kind and apiVersion left out. */
export function leavesOf(object: Readonly<Record<string, unknown>>): Leaf[] {
  const { kind: _kind, apiVersion: _apiVersion, ...fields } = object;
  return Object.entries(fields).flatMap(([name, value]) => leavesAt(name, value));
}

/** A path's step for a name: what is no plain name is written as a key. */
function step(path: string, name: string): string {
  return /^[A-Za-z][A-Za-z0-9]*$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`;
}

function leavesAt(path: string, value: unknown): Leaf[] {
  if (Array.isArray(value)) {
    const inner = value.flatMap((element, index) => leavesAt(`${path}[${index}]`, element));
    return value.every((element) => typeof element !== "object") ? [{ path, value }, ...inner] : inner;
  }
  if (typeof value !== "object" || value === null) return [{ path, value }];
  return Object.entries(value).flatMap(([name, inner]) => leavesAt(step(path, name), inner));
}

/** Another value of the same type: longer, so that the lengths around it grow. */
export function otherValue(value: unknown): string | number | boolean | string[] {
  if (Array.isArray(value)) return [...value, ...value].map(String);
  if (typeof value === "boolean") return !value;
  return typeof value === "number" ? (value + 1_000_000) % 2 ** 31 : "b".repeat(300);
}

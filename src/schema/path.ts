import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";

/** One step of a path: a field's name, a list's index, or a map's key in `["..."]`. */
export type Segment =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "key"; readonly key: string };

const SEGMENT = /\.?([A-Za-z$_][\w$-]*)|\[(\d+)\]|\[("(?:[^"\\\p{Cc}]|\\["\\/bfnrt]|\\u[\da-fA-F]{4})*")\]/uy;

/** Parses `name(.name | [index] | ["key"])*`; throws `usage` at what is none. */
export function parsePath(path: string): Segment[] {
  const segments: Segment[] = [];
  let offset = 0;
  while (offset < path.length) {
    SEGMENT.lastIndex = offset;
    const match = SEGMENT.exec(path);
    if (!match || (path[offset] === ".") !== (offset > 0 && match[1] !== undefined))
      throw noPath(path, offset);
    const [, name, index, key] = match;
    if (name !== undefined) segments.push({ kind: "name", name });
    else if (index !== undefined) segments.push({ kind: "index", index: Number(index) });
    else segments.push({ kind: "key", key: JSON.parse(key ?? "") });
    offset = SEGMENT.lastIndex;
  }
  if (segments[0]?.kind !== "name") throw noPath(path, 0);
  return segments;
}

/** A `usage` error about a path that leads nowhere. */
export function badPath(path: string, why: string): EtcdcidrError {
  return new EtcdcidrError("usage", {
    what: `the field path ${path} cannot be followed`,
    why,
    now: NOTHING_WRITTEN,
    next: "write the path as the API names its fields, spec.podCIDRs for example",
  });
}

function noPath(path: string, offset: number): EtcdcidrError {
  return badPath(path, `character ${offset + 1}: a path is name(.name | [index] | ["key"])*`);
}

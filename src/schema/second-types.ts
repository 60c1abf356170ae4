import type { RouteStep } from "./second-route.js";

/** A message type in protobufjs' JSON form. */
interface TypeJson {
  readonly edition: "proto2";
  readonly fields: { [name: string]: { rule?: "repeated"; type: string; id: number } };
}

/** Strings are read as bytes, so that invalid UTF-8 stays what it is. */
const SCALARS: Readonly<Record<string, string>> = {
  s: "bytes",
  y: "bytes",
  b: "bool",
  i: "int32",
  l: "int64",
};

/**
 * Message types that name only the fields on these routes, `T` the outermost; all else is unknown to them and therefore
 * kept by protobufjs as bytes. Fields are repeated where one value is meant, so that a doubled one shows.
 */
export function typesAlong(routes: readonly (readonly RouteStep[])[]): { [name: string]: TypeJson } {
  const types: { [name: string]: TypeJson } = {};
  addType("T", routes, types);
  return types;
}

function addType(
  name: string,
  routes: readonly (readonly RouteStep[])[],
  types: { [name: string]: TypeJson },
): void {
  const type: TypeJson = { edition: "proto2", fields: {} };
  types[name] = type;
  for (const number of new Set(routes.map(([step]) => step?.number))) {
    const sharing = routes.filter(([step]) => step?.number === number);
    const step = sharing[0]?.[0];
    if (!step) continue;
    const inner = `${name}_${step.number}`;
    const below = sharing.map((route) => route.slice(1)).filter((route) => route.length > 0);
    const isMessage = below.length > 0 || step.shape === "map";
    if (step.shape === "map") types[inner] = entryType(step.kind);
    else if (isMessage) addType(inner, below, types);
    type.fields[`f${step.number}`] = {
      type: isMessage ? inner : scalarOf(step.kind),
      id: step.number,
      ...(isMessage && step.shape === "single" ? {} : { rule: "repeated" }),
    };
  }
}

function entryType(kind: string): TypeJson {
  return {
    edition: "proto2",
    fields: {
      f1: { rule: "repeated", type: "bytes", id: 1 },
      f2: { rule: "repeated", type: scalarOf(kind), id: 2 },
    },
  };
}

function scalarOf(kind: string): string {
  const type = SCALARS[kind];
  if (type === undefined) throw new RangeError(`a field of kind ${kind} is not edited`);
  return type;
}

import { parse } from "yaml";

/** The value of a YAML text, JSON types only; throws what the parser throws. */
export function parseYaml(text: string): unknown {
  return parse(text, { schema: "core" });
}

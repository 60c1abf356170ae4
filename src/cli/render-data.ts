import { toJson } from "../plan/json.js";

export type OutputFormat = "text" | "json" | "yaml";

/**
 * Data for a program: 64-bit numbers are decimal text in both formats. What could act on a terminal is escaped, as both
 * formats allow.
 */
export async function renderData(data: unknown, format: "json" | "yaml"): Promise<string> {
  const json = toJson(data, 2);
  return escapeInQuotes(format === "json" ? `${json}\n` : await toYaml(JSON.parse(json)));
}

async function toYaml(data: unknown): Promise<string> {
  const { Document, visit } = await import("yaml");
  const document = new Document(data);
  visit(document, {
    Scalar(_key, scalar) {
      // Only this style knows escapes.
      if (typeof scalar.value === "string" && UNSAFE.test(scalar.value)) scalar.type = "QUOTE_DOUBLE";
    },
  });
  return document.toString({ lineWidth: 0 });
}

// Control characters (JSON itself escapes those below 0x20) and what reorders or hides text, by UTF-16 code unit.
const UNSAFE = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/;

function escapeInQuotes(text: string): string {
  return text.replace(
    new RegExp(UNSAFE, "g"),
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

import { toJson } from "../plan/json.js";

export type OutputFormat = "text" | "json" | "yaml";

/** Data for a program: 64-bit numbers are decimal text in both formats. */
export async function renderData(data: unknown, format: "json" | "yaml"): Promise<string> {
  const json = toJson(data, 2);
  if (format === "json") return `${json}\n`;
  const { stringify } = await import("yaml");
  return stringify(JSON.parse(json));
}

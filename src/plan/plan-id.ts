import { sha256Hex } from "../storage/digest.js";
import { toJson } from "./json.js";
import type { Plan } from "./plan.js";

/** The same content gives the same id: 12 hex digits. */
export function planId(content: Omit<Plan, "id">): string {
  return sha256Hex(toJson(content)).slice(0, 12);
}

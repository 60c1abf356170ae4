import { hash } from "node:crypto";

/** SHA-256 as lower-case hex. */
export function sha256Hex(bytes: Uint8Array | string): string {
  return hash("sha256", bytes, "hex");
}

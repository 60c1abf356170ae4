import { readFile, writeFile } from "node:fs/promises";
import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";

/** Throws `not-found` for a file that cannot be read. */
export async function readTextFile(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw fileError("not-found", `cannot read ${path}`, cause);
  }
}

/** Writes a file that only its owner can read; what was there is replaced. Throws `refused`. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { mode: 0o600 });
  } catch (cause) {
    throw fileError("refused", `cannot write ${path}`, cause);
  }
}

function fileError(code: "not-found" | "refused", what: string, cause: unknown): EtcdcidrError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new EtcdcidrError(code, { what, why, now: NOTHING_WRITTEN, next: "check the path" }, { cause });
}

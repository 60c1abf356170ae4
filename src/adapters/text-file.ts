import { open, readFile } from "node:fs/promises";
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
    const handle = await open(path, "w", 0o600);
    try {
      // The mode above is that of a new file only.
      await handle.chmod(0o600);
      await handle.writeFile(text);
    } finally {
      await handle.close();
    }
  } catch (cause) {
    throw fileError("refused", `cannot write ${path}`, cause);
  }
}

function fileError(code: "not-found" | "refused", what: string, cause: unknown): EtcdcidrError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new EtcdcidrError(code, { what, why, now: NOTHING_WRITTEN, next: "check the path" }, { cause });
}

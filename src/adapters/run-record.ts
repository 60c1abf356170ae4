import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { makeDirectory, syncDirectory, unusable } from "./journal-directory.js";

/** What a run did, line by line; each is on disk when `append` returns. */
export interface RunRecord {
  readonly path: string;
  append(line: string): Promise<void>;
  close(): Promise<void>;
}

/** A new file that its owner alone can read. Throws `journal-unusable`. */
export async function createRunRecord(path: string): Promise<RunRecord> {
  try {
    await makeDirectory(dirname(path));
    const file = await open(path, "ax", 0o600);
    await syncDirectory(dirname(path));
    return {
      path,
      async append(line) {
        await file.write(`${line}\n`);
        await file.datasync();
      },
      close: () => file.close(),
    };
  } catch (error) {
    throw unusable(dirname(path), error);
  }
}

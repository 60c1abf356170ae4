import { readFile } from "node:fs/promises";
import { writeWhole } from "./write-whole.js";

/** A file that tells which member a configuration was last rendered for: it may have been started with it. */
export interface RenderedMark {
  write(id: bigint): Promise<void>;
  readonly read: () => Promise<bigint | undefined>;
}

export function renderedMark(path: string): RenderedMark {
  return {
    write: (id) => writeWhole(path, id.toString(), { temporary: `${path}-new` }),
    async read() {
      const text = await readFile(path, "utf8").catch(() => "");
      return /^\d+$/.test(text) ? BigInt(text) : undefined;
    },
  };
}

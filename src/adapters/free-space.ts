import { statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** Bytes that are free where the path is, or will be; undefined where nobody can tell. */
export async function freeSpace(path: string): Promise<bigint | undefined> {
  for (let at = resolve(path); ; at = dirname(at)) {
    const found = await statfs(at, { bigint: true }).catch(() => undefined);
    if (found !== undefined) return found.bavail * found.bsize;
    if (at === dirname(at)) return undefined;
  }
}

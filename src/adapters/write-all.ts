import type { FileHandle } from "node:fs/promises";

/** Writes all of the pieces, one behind the other, at the position; returns how many bytes they are. */
export async function writeAll(
  handle: FileHandle,
  pieces: readonly Uint8Array[],
  position: number,
): Promise<number> {
  const total = pieces.reduce((sum, { length }) => sum + length, 0);
  let rest = pieces;
  // One write may take only a part of them.
  for (let done = 0; done < total; ) {
    const { bytesWritten } = await handle.writev([...rest], position + done);
    done += bytesWritten;
    rest = behind(rest, bytesWritten);
  }
  return total;
}

/** What is left of the pieces without so many bytes in front. */
function behind(pieces: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let skipped = 0;
  let whole = 0;
  for (const { length } of pieces) {
    if (skipped + length > bytes) break;
    skipped += length;
    whole += 1;
  }
  const [torn, ...others] = pieces.slice(whole);
  return torn === undefined ? [] : [torn.subarray(bytes - skipped), ...others];
}

import { readSync } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import type { Spool } from "../ports.js";
import { writeAll } from "./write-all.js";

/** A spool in a file whose name is removed at once: whatever happens to the process, nothing stays behind. Throws `refused`. */
export async function openSpool(): Promise<Spool> {
  const directory = tmpdir();
  const handle = await guarded(directory, async () => {
    const folder = await mkdtemp(join(directory, "etcdcidr-"));
    const file = await open(join(folder, "spool"), "wx+", 0o600);
    await rm(folder, { recursive: true });
    return file;
  });
  const places = new Map<string, { offset: number; length: number }>();
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  let end = 0;

  const flush = async (): Promise<void> => {
    const values = pending;
    const position = end - pendingBytes;
    pending = [];
    pendingBytes = 0;
    await writeAll(handle, values, position);
  };

  return {
    async add(key, value) {
      places.set(key, { offset: end, length: value.length });
      pending.push(value);
      pendingBytes += value.length;
      end += value.length;
      if (pendingBytes >= FLUSHED_BYTES) await guarded(directory, flush);
    },
    async read(keys) {
      await guarded(directory, flush);
      const values = new Map<string, Uint8Array>();
      for (const key of keys) {
        const place = places.get(key);
        if (place === undefined) continue;
        const value = Buffer.allocUnsafe(place.length);
        // What was written a moment ago is in memory still: asking a thread for it takes far longer than the read.
        readSync(handle.fd, value, 0, place.length, place.offset);
        values.set(key, value);
      }
      return values;
    },
    close: () => handle.close(),
  };
}

async function guarded<Result>(directory: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    throw new EtcdcidrError(
      "refused",
      {
        what: `cannot keep what is read in ${directory}`,
        why: cause instanceof Error ? cause.message : String(cause),
        now: NOTHING_WRITTEN,
        next: "make room there, or set TMPDIR to another directory",
      },
      { cause },
    );
  }
}

const FLUSHED_BYTES = 1024 * 1024;

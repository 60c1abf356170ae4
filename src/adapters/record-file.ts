import { constants, copyFile, type FileHandle, open, rename } from "node:fs/promises";
import { writeAll } from "./write-all.js";

/** A file of records that only grows. */
export interface RecordFile {
  /** Queues a record. */
  append(bytes: Uint8Array): void;
  flush(): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Creates the file, which must not exist, readable by its owner alone. */
export async function createRecordFile(path: string): Promise<RecordFile> {
  return recordFile(await open(path, "wx+", 0o600), 0);
}

/**
 * Opens a file to go on after so many bytes; what stands behind them is left out. It goes on in a copy that takes the name: a
 * process that was frozen over the first and thaws writes into a file that nobody reads.
 */
export async function reopenRecordFile(path: string, length: number): Promise<RecordFile> {
  const copy = `${path}.reopened`;
  await copyFile(path, copy, constants.COPYFILE_FICLONE);
  const handle = await open(copy, "r+");
  await handle.truncate(length);
  await handle.sync();
  await rename(copy, path);
  return recordFile(handle, length);
}

function recordFile(handle: FileHandle, length: number): RecordFile {
  let queue: Uint8Array[] = [];
  let written = length;
  let writing: Promise<void> = Promise.resolve();
  let nextSync: Promise<void> | undefined;

  const flush = (): Promise<void> => {
    writing = writing.then(async () => {
      const records = queue;
      queue = [];
      written += await writeAll(handle, records, written);
    });
    return writing;
  };

  /** The kernel forgets what an fsync could not write, and the next one succeeds: after a failure none is tried. */
  const giveUp = (error: unknown): never => {
    writing = Promise.reject(error);
    writing.catch(() => undefined);
    throw error;
  };

  return {
    append(bytes) {
      queue.push(bytes);
    },
    flush,
    sync() {
      // Calls that come while one waits for its turn are served by the same fsync.
      nextSync ??= writing.then(async () => {
        nextSync = undefined;
        await flush();
        await handle.datasync().catch(giveUp);
      });
      return nextSync;
    },
    async close() {
      await flush().finally(() => handle.close());
    },
  };
}

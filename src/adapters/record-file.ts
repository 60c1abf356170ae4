import { constants, copyFile, type FileHandle, open, rename } from "node:fs/promises";
import { writeAll } from "./write-all.js";

/** A text of records that only grows; some of them can be read again. */
export interface RecordFile {
  /** Queues a text; with a name it can be read again, with `context` beside it. */
  append(text: string, name: string | undefined, context: string): void;
  flush(): Promise<void>;
  sync(): Promise<void>;
  read(
    names: readonly string[],
  ): Promise<ReadonlyMap<string, { readonly text: string; readonly context: string }>>;
  close(): Promise<void>;
}

interface Place {
  readonly offset: number;
  readonly length: number;
  readonly context: string;
}

/** Creates the file, which must not exist, readable by its owner alone. */
export async function createRecordFile(path: string): Promise<RecordFile> {
  return recordFile(await open(path, "wx+", 0o600), 0);
}

/**
 * Opens a file to go on after so many bytes; what stands behind them is left out. It goes on in a copy that takes the name: a
 * process that was frozen over the first and thaws writes into a file that nobody reads. What was written before cannot be read.
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
  const places = new Map<string, Place>();
  let queue: Buffer[] = [];
  let end = length;
  let written = length;
  let writing: Promise<void> = Promise.resolve();
  let nextSync: Promise<void> | undefined;

  const flush = (): Promise<void> => {
    writing = writing.then(async () => {
      const bytes = Buffer.concat(queue);
      queue = [];
      await writeAll(handle, bytes, written);
      written += bytes.length;
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
    append(text, name, context) {
      const bytes = Buffer.from(text, "utf8");
      if (name !== undefined) places.set(name, { offset: end, length: bytes.length, context });
      end += bytes.length;
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
    async read(names) {
      await flush();
      const wanted = names.flatMap((name) => {
        const place = places.get(name);
        return place === undefined ? [] : [{ name, ...place }];
      });
      const start = Math.min(...wanted.map(({ offset }) => offset));
      const stop = Math.max(...wanted.map(({ offset, length }) => offset + length));
      const span = Buffer.alloc(wanted.length === 0 ? 0 : stop - start);
      await handle.read(span, 0, span.length, start);
      return new Map(
        wanted.map(({ name, offset, length, context }) => [
          name,
          { text: span.toString("utf8", offset - start, offset - start + length), context },
        ]),
      );
    },
    async close() {
      await flush().finally(() => handle.close());
    },
  };
}

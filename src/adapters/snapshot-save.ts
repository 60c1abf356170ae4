import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { ClientReadableStream } from "@grpc/grpc-js";
import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import type { EtcdTarget } from "./etcd.js";
import { explainEtcdError } from "./etcd-error.js";
import { openEtcdRpc } from "./etcd-rpc.js";
import { isThere, syncDirectory } from "./journal-directory.js";
import { createTrailerCheck, readRevision, type SnapshotFacts, unusable } from "./snapshot-file.js";

/** Told after each piece; `total` is known from the first one on. */
export type OnProgress = (bytes: number, total: number) => void;

/**
 * Saves a snapshot of one member in a new file: its checksum proven, on disk, and readable by its owner alone. Throws
 * `refused` for a file that is there or cannot be written, `snapshot-damaged` for a stream that is not whole, and the
 * endpoint's own errors; no file is left then.
 */
export async function saveSnapshot(
  target: EtcdTarget,
  path: string,
  onProgress: OnProgress,
): Promise<SnapshotFacts> {
  await refuseExisting(path);
  const part = `${path}.${process.pid}.part`;
  const file = await open(part, "wx+", 0o600).catch((cause: unknown) => {
    throw cannotWrite(path, cause);
  });
  try {
    const received = await receive(target, { file, path, onProgress });
    const revision = await readRevision(file, path);
    await file.sync();
    await refuseExisting(path);
    await rename(part, path);
    await syncDirectory(dirname(resolve(path)));
    return { path, ...received, revision };
  } catch (error) {
    await rm(part, { force: true });
    throw error instanceof EtcdcidrError ? error : cannotWrite(path, error);
  } finally {
    await file.close();
  }
}

/** Throws `refused` where the file is there: a snapshot never takes the place of another. */
export async function refuseExisting(path: string): Promise<void> {
  if (!(await isThere(path))) return;
  throw new EtcdcidrError("refused", {
    what: `will not write over ${path}`,
    why: "it is there already",
    now: NOTHING_WRITTEN,
    next: "give another name, or move it away",
  });
}

interface Receiver {
  readonly file: FileHandle;
  readonly path: string;
  readonly onProgress: OnProgress;
}

async function receive(
  target: EtcdTarget,
  receiver: Receiver,
): Promise<Pick<SnapshotFacts, "bytes" | "sha256">> {
  const rpc = openEtcdRpc(target);
  try {
    return await rpc.stream("Maintenance/Snapshot", {}, (stream) => keep(stream, target, receiver));
  } catch (error) {
    if (error instanceof EtcdcidrError || !isRpcError(error)) throw error;
    const call = { kind: "other", omission: "did not send a whole snapshot" } as const;
    throw explainEtcdError(error, call, target, Date.now());
  } finally {
    rpc.close();
  }
}

function isRpcError(error: unknown): boolean {
  return error instanceof Error && "details" in error;
}

interface Piece {
  readonly blob: Buffer;
  readonly remaining_bytes: string;
}

/** A stream has no deadline, since nobody knows how long it is; what has one is the wait for its next piece. */
async function keep(
  stream: ClientReadableStream<unknown>,
  { commandTimeoutMs }: EtcdTarget,
  { file, path, onProgress }: Receiver,
): Promise<Pick<SnapshotFacts, "bytes" | "sha256">> {
  const check = createTrailerCheck();
  let stalled = false;
  const onStall = (): void => {
    stalled = true;
    stream.cancel();
  };
  let timer = setTimeout(onStall, commandTimeoutMs);
  let bytes = 0;
  // What is cancelled below ends with an error of its own, which is of no concern any more.
  stream.on("error", () => undefined);
  try {
    for await (const each of stream) {
      clearTimeout(timer);
      const { blob, remaining_bytes } = each as Piece;
      check.update(blob);
      await file.write(blob);
      bytes += blob.length;
      onProgress(bytes, bytes + Number(remaining_bytes));
      timer = setTimeout(onStall, commandTimeoutMs);
    }
  } catch (error) {
    throw stalled ? stopped(path, bytes, commandTimeoutMs) : error;
  } finally {
    clearTimeout(timer);
    // A stream that nobody reads to its end keeps the connection, and with it the process.
    stream.cancel();
  }
  const sha256 = check.digest();
  if (sha256 === undefined) throw unusable(path, `the ${bytes} bytes received do not end with their SHA-256`);
  return { bytes, sha256 };
}

function stopped(path: string, bytes: number, timeoutMs: number): EtcdcidrError {
  return new EtcdcidrError("unreachable", {
    what: `no whole snapshot for ${path} was received`,
    why: `after ${bytes} bytes nothing more came within ${timeoutMs / 1000}s`,
    now: "no file is left",
    next: "look at that member, give another one with --endpoints, or raise --command-timeout",
  });
}

function cannotWrite(path: string, cause: unknown): EtcdcidrError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new EtcdcidrError(
    "refused",
    { what: `cannot write ${path}`, why, now: "no file is left", next: "check the path and the free space" },
    { cause },
  );
}

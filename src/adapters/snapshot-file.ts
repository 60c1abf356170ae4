import { createHash, type Hash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import { lastBoltKey } from "./bolt-file.js";

/** A snapshot that is proven whole. */
export interface SnapshotFacts {
  readonly path: string;
  /** With the checksum at its end. */
  readonly bytes: number;
  /** Of everything before the checksum, hexadecimal. */
  readonly sha256: string;
  /** etcd's revision at that time. */
  readonly revision: bigint;
}

export const SHA256_BYTES = 32;

/** Sums up what is before the last 32 bytes, which are the sum itself (etcdserver, v3rpc/maintenance.go, Snapshot). */
export interface TrailerCheck {
  update(bytes: Buffer): void;
  /** The sum, or undefined where the last 32 bytes are another one. */
  digest(): string | undefined;
}

export function createTrailerCheck(): TrailerCheck {
  const hash: Hash = createHash("sha256");
  let tail: Buffer = Buffer.alloc(0);
  return {
    update(bytes) {
      const all = Buffer.concat([tail, bytes]);
      const body = Math.max(all.length - SHA256_BYTES, 0);
      hash.update(all.subarray(0, body));
      tail = all.subarray(body);
    },
    digest() {
      const sum = hash.digest();
      return sum.equals(tail) ? sum.toString("hex") : undefined;
    },
  };
}

/** Proves a file by its checksum and reads its revision. Throws `not-found`, or `snapshot-damaged`. */
export async function readSnapshot(path: string): Promise<SnapshotFacts> {
  const file = await open(path, "r").catch((cause: unknown) => {
    throw unreadable(path, cause);
  });
  try {
    const { size } = await file.stat();
    const check = createTrailerCheck();
    for await (const bytes of file.createReadStream({ autoClose: false })) check.update(bytes as Buffer);
    const sha256 = check.digest();
    if (sha256 === undefined) throw damaged(path, size);
    return { path, bytes: size, sha256, revision: await readRevision(file, path) };
  } catch (error) {
    throw error instanceof EtcdcidrError ? error : unreadable(path, error);
  } finally {
    await file.close();
  }
}

/** A key of the bucket `key` begins with the revision it was written at; without any, etcd begins at 1. */
export async function readRevision(file: FileHandle, path: string): Promise<bigint> {
  try {
    const last = await lastBoltKey(file, "key");
    return last?.readBigInt64BE(0) ?? 1n;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw unusable(path, `its database cannot be read: ${why}`, cause);
  }
}

/** bbolt's pages are multiples of 512 bytes, so that the length tells whether a checksum is there. */
function damaged(path: string, bytes: number): EtcdcidrError {
  return unusable(
    path,
    bytes % 512 === 0
      ? "it has no checksum at its end: it is cut off, or a copy of a data directory's member/snap/db"
      : "its SHA-256 is not the one at its end: it is cut off or altered",
  );
}

export function unusable(path: string, why: string, cause?: unknown): EtcdcidrError {
  return new EtcdcidrError(
    "snapshot-damaged",
    {
      what: `${path} is no whole snapshot`,
      why,
      now: NOTHING_WRITTEN,
      next: "take another one with `etcdcidr snapshot save`",
    },
    { cause },
  );
}

function unreadable(path: string, cause: unknown): EtcdcidrError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new EtcdcidrError(
    "not-found",
    { what: `cannot read ${path}`, why, now: NOTHING_WRITTEN, next: "check the path" },
    { cause },
  );
}

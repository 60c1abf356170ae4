import type { FileHandle } from "node:fs/promises";

/**
 * The last key of a bucket of a bbolt file, undefined where it is empty or not there. Layout: bbolt, internal/common
 * (page.go, meta.go, bucket.go, inode.go); all numbers are little-endian. Throws RangeError for what is no such file.
 */
export async function lastBoltKey(file: FileHandle, bucket: string): Promise<Buffer | undefined> {
  const { pageSize, root } = await readMeta(file);
  const read = (id: bigint): Promise<Buffer> => readPage(file, id, pageSize);
  const found = await findBucket(read, await read(root), Buffer.from(bucket));
  if (found === undefined) return undefined;
  const inline = found.readBigUInt64LE(0) === 0n;
  const top = inline ? found.subarray(BUCKET_HEADER) : await read(found.readBigUInt64LE(0));
  const leaf = await descend(read, top, (page) => countOf(page) - 1);
  return countOf(leaf) === 0 ? undefined : leafElement(leaf, countOf(leaf) - 1).key;
}

const MAGIC = 0xed0cdaed;
const PAGE_HEADER = 16;
const BUCKET_HEADER = 16;
const BRANCH_PAGE = 0x01;
/** Deeper than any B+ tree gets: a damaged file would be followed for ever. */
const MAX_DEPTH = 64;

async function readMeta(file: FileHandle): Promise<{ pageSize: number; root: bigint }> {
  const head = await readAt(file, 0, PAGE_HEADER + 64);
  if (head.readUInt32LE(PAGE_HEADER) !== MAGIC) throw new RangeError("it is no bbolt database");
  return { pageSize: head.readUInt32LE(PAGE_HEADER + 8), root: head.readBigUInt64LE(PAGE_HEADER + 16) };
}

/** A page and the overflow pages behind it. */
async function readPage(file: FileHandle, id: bigint, pageSize: number): Promise<Buffer> {
  const position = Number(id) * pageSize;
  const head = await readAt(file, position, PAGE_HEADER);
  return readAt(file, position, (head.readUInt32LE(12) + 1) * pageSize);
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead < length) throw new RangeError(`it ends before byte ${position + length}`);
  return buffer;
}

const isBranch = (page: Buffer): boolean => (page.readUInt16LE(8) & BRANCH_PAGE) !== 0;
const countOf = (page: Buffer): number => page.readUInt16LE(10);

/** An element's position counts from its own header. */
function branchChild(page: Buffer, index: number): bigint {
  return page.readBigUInt64LE(PAGE_HEADER + index * 16 + 8);
}

function branchKey(page: Buffer, index: number): Buffer {
  const at = PAGE_HEADER + index * 16;
  const start = at + page.readUInt32LE(at);
  return page.subarray(start, start + page.readUInt32LE(at + 4));
}

function leafElement(page: Buffer, index: number): { readonly key: Buffer; readonly value: Buffer } {
  const at = PAGE_HEADER + index * 16;
  const start = at + page.readUInt32LE(at + 4);
  const end = start + page.readUInt32LE(at + 8);
  return { key: page.subarray(start, end), value: page.subarray(end, end + page.readUInt32LE(at + 12)) };
}

/** The value of a bucket's entry: its header, and the page itself where the bucket is small. */
async function findBucket(
  read: (id: bigint) => Promise<Buffer>,
  root: Buffer,
  name: Buffer,
): Promise<Buffer | undefined> {
  const leaf = await descend(read, root, (page) => {
    let child = 0;
    while (child + 1 < countOf(page) && branchKey(page, child + 1).compare(name) <= 0) child++;
    return child;
  });
  return Array.from({ length: countOf(leaf) }, (_none, index) => leafElement(leaf, index)).find(({ key }) =>
    key.equals(name),
  )?.value;
}

async function descend(
  read: (id: bigint) => Promise<Buffer>,
  top: Buffer,
  choose: (branch: Buffer) => number,
): Promise<Buffer> {
  let page = top;
  for (let depth = 0; isBranch(page); depth++) {
    if (depth === MAX_DEPTH) throw new RangeError("its pages go round in a circle");
    page = await read(branchChild(page, choose(page)));
  }
  return page;
}

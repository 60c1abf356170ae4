/** The identity that every file of etcd's write-ahead log begins with. */
export interface WalIdentity {
  readonly memberId: bigint;
  readonly clusterId: bigint;
}

const CRC_RECORD = 4n;
const METADATA_RECORD = 1n;

/**
 * Reads the first two records: a checksum, then the metadata (server/storage/wal: encoder.go, walpb/record.proto; the metadata
 * are etcdserverpb.Metadata). Undefined for what is no such file.
 */
export function readWalIdentity(head: Buffer): WalIdentity | undefined {
  try {
    const first = readRecord(head, 0);
    const second = readRecord(head, first.end);
    if (first.fields.get(1) !== CRC_RECORD || second.fields.get(1) !== METADATA_RECORD) return undefined;
    const data = second.fields.get(3);
    const metadata = Buffer.isBuffer(data) ? readFields(data) : undefined;
    const [memberId, clusterId] = [metadata?.get(1), metadata?.get(2)];
    return typeof memberId === "bigint" && typeof clusterId === "bigint"
      ? { memberId, clusterId }
      : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

type Fields = ReadonlyMap<number, bigint | Buffer>;

/** The length's low 56 bits are the record's; its top byte, where the sign is set, tells of padding to 8 bytes. */
function readRecord(bytes: Buffer, at: number): { readonly fields: Fields; readonly end: number } {
  const length = bytes.readBigUInt64LE(at);
  const size = Number(length & 0xffffffffffffffn);
  const top = Number(length >> 56n);
  const padding = top & 0x80 ? top & 0x07 : 0;
  const start = at + 8;
  if (start + size > bytes.length) throw new RangeError("the record ends behind what was read");
  return { fields: readFields(bytes.subarray(start, start + size)), end: start + size + padding };
}

const VARINT = 0n;
const BYTES = 2n;

/** A protobuf message of numbers and bytes alone. */
function readFields(bytes: Buffer): Fields {
  const fields = new Map<number, bigint | Buffer>();
  for (let at = 0; at < bytes.length; ) {
    const tag = readVarint(bytes, at);
    const value = readVarint(bytes, tag.end);
    const [number, type] = [Number(tag.value >> 3n), tag.value & 7n];
    if (type !== VARINT && type !== BYTES) throw new RangeError(`field ${number} is of an unknown type`);
    at = type === VARINT ? value.end : value.end + Number(value.value);
    fields.set(number, type === VARINT ? value.value : bytes.subarray(value.end, at));
  }
  return fields;
}

function readVarint(bytes: Buffer, start: number): { readonly value: bigint; readonly end: number } {
  let value = 0n;
  for (let at = start, shift = 0n; ; at++, shift += 7n) {
    const byte = bytes.readUInt8(at);
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return { value: BigInt.asUintN(64, value), end: at + 1 };
    if (shift > 63n) throw new RangeError("a number is longer than 64 bits");
  }
}

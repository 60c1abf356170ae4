/** A varint of the 64 low bits, padded with `80 ... 00` to at least `size` bytes. */
export function varint(value: number | bigint, size = 1): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  } while (rest > 0n || bytes.length < size);
  bytes.push((bytes.pop() ?? 0) & 0x7f);
  return Buffer.from(bytes);
}

/** A varint field. */
export function int(number: number, value: number | bigint): Buffer {
  return Buffer.concat([varint(number * 8), varint(value)]);
}

/** A length-delimited field: a text, bytes, or a message made of fields. */
export function len(number: number, ...parts: readonly (string | Uint8Array)[]): Buffer {
  const payload = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([varint(number * 8 + 2), varint(payload.length), payload]);
}

export function fixed64(number: number): Buffer {
  return Buffer.concat([varint(number * 8 + 1), Buffer.from("12345678")]);
}

export function fixed32(number: number): Buffer {
  return Buffer.concat([varint(number * 8 + 5), Buffer.from("1234")]);
}

export function group(number: number, ...fields: readonly Uint8Array[]): Buffer {
  return Buffer.concat([varint(number * 8 + 3), ...fields, varint(number * 8 + 4)]);
}

export const MAGIC: Buffer = Buffer.from("k8s\0");

/** A stored value as kube-apiserver writes it, its object made of the given fields. */
export function stored(apiVersion: string, kind: string, ...fields: readonly Uint8Array[]): Buffer {
  return Buffer.concat([MAGIC, len(1, len(1, apiVersion), len(2, kind)), len(2, ...fields), len(3), len(4)]);
}

export function storedNode(...fields: readonly Uint8Array[]): Buffer {
  return stored("v1", "Node", ...fields);
}

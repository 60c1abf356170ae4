import { fixed32, fixed64, group, int, len, varint } from "./wire.js";

/** Numbers from a seed (mulberry32), so that a failure can be repeated. */
export interface Random {
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
}

export function randomFrom(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new RangeError("nothing to pick from");
      return item;
    },
  };
}

/** A stored value with a few things wrong or odd: in its bytes, or in a message whose lengths stay right. */
export function mutate(value: Uint8Array, other: Uint8Array, random: Random): Uint8Array {
  let mutated: Uint8Array = value;
  for (let times = 1 + random.below(3); times > 0; times--) {
    const isProtobuf = mutated[0] === 0x6b;
    mutated =
      isProtobuf && random.chance(0.6) ? oddMessage(mutated, random) : brokenBytes(mutated, other, random);
  }
  return mutated;
}

function brokenBytes(value: Uint8Array, other: Uint8Array, random: Random): Uint8Array {
  const at = random.below(value.length + 1);
  const [head, tail] = [value.subarray(0, at), value.subarray(at)];
  const from = random.below(other.length);
  const piece = other.subarray(from, from + 1 + random.below(40));
  const byte = Uint8Array.of(random.pick([0, 1, 0x7f, 0x80, 0xff, random.below(256)]));
  return Buffer.concat(
    random.pick([
      [head],
      [head, byte, tail],
      [head, byte, tail.subarray(1)],
      [head, tail.subarray(1 + random.below(8))],
      [head, piece, tail],
      [head, piece, tail.subarray(piece.length)],
      [head, value.subarray(Math.max(0, at - piece.length), at), tail],
    ]),
  );
}

/** Goes down to a random depth along length-delimited fields that parse, and puts, doubles, drops or swaps fields there. */
function oddMessage(value: Uint8Array, random: Random): Uint8Array {
  return Buffer.concat([value.subarray(0, 4), oddFields(value.subarray(4), random, 0)]);
}

function oddFields(message: Uint8Array, random: Random, depth: number): Buffer {
  const fields = fieldsOf(message);
  if (!fields) return Buffer.concat([message, oddField(random)]);
  const nested = fields.flatMap((field, index) => (field.payload && fieldsOf(field.payload) ? [index] : []));
  if (nested.length > 0 && random.chance(depth < 2 ? 0.8 : 0.4)) {
    const index = random.pick(nested);
    const field = fields[index];
    const inner = len(field?.number ?? 1, oddFields(field?.payload ?? new Uint8Array(), random, depth + 1));
    return Buffer.concat(fields.map(({ bytes }, place) => (place === index ? inner : bytes)));
  }
  const records = fields.map(({ bytes }) => bytes);
  const at = random.below(records.length + 1);
  const record = records[at] ?? new Uint8Array();
  return Buffer.concat(
    random.pick([
      records.toSpliced(at, 0, oddField(random)),
      records.toSpliced(random.below(records.length + 1), 0, record),
      records.toSpliced(at, 1),
      [...records.slice(at), ...records.slice(0, at)],
    ]),
  );
}

function oddField(random: Random): Buffer {
  const number = random.pick([1, 2, 3, 7, 11, 12, 18, 1 + random.below(30), 2 ** 29 - 1, 2 ** 29]);
  const payload = Buffer.from("abcdefgh".slice(random.below(8)));
  return random.pick([
    int(number, random.pick([0, 1, -1, 2 ** 32, 2n ** 63n])),
    len(number, payload),
    len(number),
    fixed32(number),
    fixed64(number),
    group(number, int(1, 1)),
    Buffer.concat([
      varint(number * 8 + 2, 1 + random.below(6)),
      varint(payload.length, 1 + random.below(6)),
      payload,
    ]),
    len(number, len(1, payload), len(2, payload)),
  ]);
}

interface RawField {
  readonly number: number;
  readonly bytes: Uint8Array;
  /** Present where the field is length-delimited. */
  readonly payload?: Uint8Array;
}

/** The fields of a message of one-byte tags up to wire type 2 in canonical form; undefined if it is no such message. */
function fieldsOf(message: Uint8Array): RawField[] | undefined {
  const fields: RawField[] = [];
  for (let at = 0; at < message.length; ) {
    const tag = readSmall(message, at);
    const value = tag && readSmall(message, tag.end);
    if (!tag || !value || tag.value < 8) return undefined;
    const number = Math.floor(tag.value / 8);
    if (tag.value % 8 === 0) {
      fields.push({ number, bytes: message.subarray(at, value.end) });
      at = value.end;
      continue;
    }
    const end = value.end + value.value;
    if (tag.value % 8 !== 2 || end > message.length) return undefined;
    fields.push({ number, bytes: message.subarray(at, end), payload: message.subarray(value.end, end) });
    at = end;
  }
  return fields.length > 0 ? fields : undefined;
}

function readSmall(bytes: Uint8Array, start: number): { value: number; end: number } | undefined {
  let value = 0;
  for (let index = 0; index < 6; index++) {
    const byte = bytes[start + index];
    if (byte === undefined) return undefined;
    value += (byte % 0x80) * 2 ** (7 * index);
    if (byte < 0x80) return { value, end: start + index + 1 };
  }
  return undefined;
}

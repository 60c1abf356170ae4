import { cursorOver, LENGTH_DELIMITED, scan } from "../../src/storage/wire.js";
import { len, MAGIC } from "../harness/wire.js";

/** A stored value with one more field at the end of the message to which the field numbers lead. */
export function appendAt(value: Buffer, path: readonly number[], field: Buffer): Buffer {
  return Buffer.concat([MAGIC, appended(value.subarray(MAGIC.length), path, field)]);
}

function appended(message: Buffer, [next, ...rest]: readonly number[], field: Buffer): Buffer {
  if (next === undefined) return Buffer.concat([message, field]);
  const records = scan(cursorOver("a test's own value", message), 0, message.length);
  return Buffer.concat(
    records.map(({ number, type, start, payload, end }) =>
      number === next && type === LENGTH_DELIMITED
        ? len(number, appended(message.subarray(payload, end), rest, field))
        : message.subarray(start, end),
    ),
  );
}

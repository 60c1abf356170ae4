import { malformed, unsupported } from "./unreadable.js";

export type Format = "protobuf" | "json" | "cbor" | "encrypted" | "unknown";

const FIRST_BYTES: readonly (readonly [Format, Buffer])[] = [
  ["protobuf", Buffer.from("k8s\0")],
  ["encrypted", Buffer.from("k8s:enc:")],
  ["json", Buffer.from("{")],
  ["cbor", Buffer.from([0xd9, 0xd9, 0xf7])],
];

/** How a stored value is written, told by its first bytes as kube-apiserver tells it. */
export function formatOf(value: Uint8Array): Format {
  for (const [format, bytes] of FIRST_BYTES) {
    if (bytes.every((byte, index) => value[index] === byte)) return format;
  }
  return "unknown";
}

/** The format of a value that can be read and edited; throws `unsupported-format` or `malformed-object` else. */
export function readableFormat(key: string, value: Uint8Array): "protobuf" | "json" {
  const format = formatOf(value);
  if (format === "protobuf" || format === "json") return format;
  if (format === "encrypted") {
    const provider = /^k8s:enc:[a-z0-9]*/.exec(Buffer.from(value.subarray(0, 64)).toString("latin1"));
    throw unsupported(key, `it is encrypted at rest (${provider?.[0]})`, "decrypt the resource first");
  }
  if (format === "cbor")
    throw unsupported(key, "it is stored as CBOR", "store the resource as JSON or protobuf");
  throw malformed(key, 0, "neither protobuf (k8s\\0), JSON ({), CBOR nor k8s:enc:");
}

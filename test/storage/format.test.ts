import { expect, test } from "vitest";
import { formatOf } from "../../src/storage/format.js";

test.each([
  ["6b387300", "protobuf"],
  ["6b3873000a00", "protobuf"],
  ["6b3873", "unknown"],
  ["6b387301", "unknown"],
  ["7b", "json"],
  ["207b", "unknown"],
  ["5b", "unknown"],
  ["d9d9f7", "cbor"],
  ["d9d9", "unknown"],
  [Buffer.from("k8s:enc:").toString("hex"), "encrypted"],
  [Buffer.from("k8s:enc:kms:v2:x:").toString("hex"), "encrypted"],
  [Buffer.from("k8s:enc").toString("hex"), "unknown"],
  ["", "unknown"],
])("a value that starts with %s is %s", (hex, format) => {
  expect(formatOf(Buffer.from(hex, "hex"))).toBe(format);
});

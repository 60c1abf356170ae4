import { describe, expect, test } from "vitest";
import { EtcdcidrError } from "../../src/errors.js";
import type { FieldEdit } from "../../src/schema/field-edit.js";
import { createSecondReader } from "../../src/schema/second-reader.js";
import { descriptor, schema } from "../harness/descriptor.js";
import { readFixture } from "../harness/fixture.js";
import { fixed32, group, int, len, MAGIC, storedNode } from "../harness/wire.js";

const KEY = "/registry/minions/n";
const reader = createSecondReader(descriptor);
const edits: readonly FieldEdit[] = [
  { path: "spec.podCIDR", new: "10.212.0.0/22" },
  { path: "spec.podCIDRs", new: ["10.212.0.0/22"] },
];
/** The code of the error that a call throws. */
function codeOf(call: () => void): unknown {
  try {
    call();
    return "none";
  } catch (error) {
    return error instanceof EtcdcidrError ? error.code : error;
  }
}

const distrusted = expect.objectContaining({
  code: "internal",
  explanation: expect.objectContaining({
    what: `the new value of ${KEY} was not trusted`,
    why: "read by protobufjs it is not the old value with spec.podCIDR, spec.podCIDRs changed",
  }),
});

describe("the second reader", () => {
  const node = readFixture("v1.36-single").find(({ key }) => key === "/registry/minions/worker-1");
  const before = node?.value ?? new Uint8Array();
  const after = schema.edit(KEY, before, edits);

  test("agrees with a right edit", () => {
    expect(() => reader.check(KEY, before, after, edits)).not.toThrow();
  });

  test("notices every single bit that is otherwise", () => {
    const codes = new Set<unknown>();
    for (let bit = 0; bit < after.length * 8; bit++) {
      const flipped = Uint8Array.from(after);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      codes.add(codeOf(() => reader.check(KEY, before, flipped, edits)));
    }
    expect([...codes]).toEqual(["internal"]);
  });

  test("notices what is cut off and what is appended", () => {
    expect(() => reader.check(KEY, before, after.subarray(0, -4), edits)).toThrow(distrusted);
    expect(() => reader.check(KEY, before, Buffer.concat([after, len(4)]), edits)).toThrow(distrusted);
  });

  const typeMeta = len(1, len(1, "v1"), len(2, "Node"));
  const good = [len(1, "10.212.0.0/22"), len(7, "10.212.0.0/22")];
  test.each([
    ["an edit that is missing", storedNode(len(2, len(1, "a"), len(7, "10.212.0.0/22")))],
    ["a list with one element more", storedNode(len(2, ...good, len(7, "x")))],
    ["a scalar that is still doubled", storedNode(len(2, len(1, "x"), ...good))],
    ["a field more", storedNode(len(2, ...good, len(3)))],
    ["an unknown field more", storedNode(len(2, ...good), fixed32(900))],
    [
      "another kind",
      Buffer.concat([MAGIC, len(1, len(1, "v1"), len(2, "Pod")), len(2, len(2, ...good)), len(3), len(4)]),
    ],
    ["a second raw", Buffer.concat([MAGIC, typeMeta, len(2), len(2, len(2, ...good)), len(3), len(4)])],
    [
      "another magic",
      Buffer.concat([Buffer.from("k8s\x01"), typeMeta, len(2, len(2, ...good)), len(3), len(4)]),
    ],
  ])("notices %s", (_, wrong) => {
    const old = storedNode(len(2, len(1, "a"), len(7, "a")));
    expect(() => reader.check(KEY, old, storedNode(len(2, ...good)), edits)).not.toThrow();
    expect(() => reader.check(KEY, old, wrong, edits)).toThrow(distrusted);
  });

  test("notices a changed order of what it does not know", () => {
    const old = storedNode(len(2, len(1, "a"), int(50, 1), int(51, 2)));
    expect(() => reader.check(KEY, old, storedNode(len(2, ...good, int(51, 2), int(50, 1))), edits)).toThrow(
      distrusted,
    );
  });

  test("refuses an old value that protobufjs cannot read", () => {
    const old = storedNode(group(900, int(1, 1)).subarray(0, -1), len(2));
    expect(() => reader.check(KEY, old, old, edits)).toThrow(
      expect.objectContaining({ code: "malformed-object" }),
    );
  });

  test.each([
    [
      "a member more",
      '{"kind":"Node","n":1,"spec":{"podCIDR":"10.212.0.0/22","podCIDRs":["10.212.0.0/22"]},"x":1}',
    ],
    [
      "an element more",
      '{"kind":"Node","n":1,"spec":{"podCIDR":"10.212.0.0/22","podCIDRs":["10.212.0.0/22","x"]}}',
    ],
    [
      "a list that is an object",
      '{"kind":"Node","n":1,"spec":{"podCIDR":"10.212.0.0/22","podCIDRs":{"0":"10.212.0.0/22"}}}',
    ],
    [
      "a number that is a string",
      '{"kind":"Node","spec":{"podCIDR":"10.212.0.0/22","podCIDRs":["10.212.0.0/22"]},"n":"1"}',
    ],
    ["no JSON", "{"],
  ])("notices in JSON %s", (_, wrong) => {
    const old = Buffer.from('{"kind":"Node","n":1,"spec":{"podCIDR":"a"}}');
    expect(() => reader.check(KEY, old, schema.edit(KEY, old, edits), edits)).not.toThrow();
    expect(() => reader.check(KEY, old, Buffer.from(wrong), edits)).toThrow(distrusted);
  });
});

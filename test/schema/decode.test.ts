import { describe, expect, test } from "vitest";
import { schema } from "../harness/descriptor.js";
import { fixed64, group, int, len, MAGIC, stored, storedNode, varint } from "../harness/wire.js";

// Field numbers below: Node 1 metadata, 2 spec, 3 status; NodeSpec 1 podCIDR, 4 unschedulable, 7 podCIDRs;
// ObjectMeta 1 name, 7 generation, 8 creationTimestamp, 11 labels. What Go makes of each: reference of the schema, section 5.

const fields = (value: Uint8Array) => {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = schema.decode("/registry/x", value).object;
  return rest;
};
const node = (...parts: readonly Uint8Array[]) => fields(storedNode(...parts));
const service = (...parts: readonly Uint8Array[]) =>
  fields(stored("v1", "Service", len(2, len(1, ...parts))));
const podGroups = (...parts: readonly Uint8Array[]) => fields(stored("v1", "Pod", len(2, len(14, ...parts))));
const label = (...parts: readonly Uint8Array[]) => len(1, len(11, ...parts));
const ten = "ff".repeat(9);

describe("what Go reads leniently", () => {
  test.each([
    ["a scalar twice: the last", node(len(2, len(1, "a"), len(1, "b"))), { spec: { podCIDR: "b" } }],
    [
      "a message twice: merged, lists appended",
      node(len(2, len(1, "a"), len(7, "x")), len(1), len(2, len(7, "y"))),
      { metadata: {}, spec: { podCIDR: "a", podCIDRs: ["x", "y"] } },
    ],
    [
      "maps of a message twice: united",
      node(label(len(1, "a"), len(2, "1")), label(len(1, "b"), len(2, "2"))),
      { metadata: { labels: { a: "1", b: "2" } } },
    ],
    ["a second, empty Time: zero", node(len(1, len(8, int(1, 5)), len(8))), { metadata: {} }],
    [
      "a Time of nanoseconds only: 1970",
      node(len(1, len(8, int(2, 5)))),
      { metadata: { creationTimestamp: "1970-01-01T00:00:00Z" } },
    ],
    [
      "a second Time: set anew",
      node(len(1, len(8, int(1, 5)), len(8, int(2, 5)))),
      { metadata: { creationTimestamp: "1970-01-01T00:00:00Z" } },
    ],
    [
      "a Quantity twice: the last",
      fields(stored("v1", "Node", len(3, len(1, len(1, "cpu"), len(2, len(1, "1")), len(2, len(1, "2")))))),
      { status: { capacity: { cpu: "2" } } },
    ],
    [
      "an IntOrString twice: merged",
      service(len(4, int(1, 1)), len(4, len(3, "http"))),
      { spec: { ports: [{ targetPort: "http" }] } },
    ],
    [
      "fields in any order",
      node(len(3), len(2, int(4, 1), len(1, "a"))),
      { spec: { podCIDR: "a", unschedulable: true }, status: {} },
    ],
    [
      "scattered list elements",
      node(len(2, len(7, "x"), len(1, "a"), len(7, "y"))),
      { spec: { podCIDR: "a", podCIDRs: ["x", "y"] } },
    ],
    [
      "a map's key twice: the last",
      node(label(len(1, "a"), len(2, "1")), label(len(1, "a"), len(2, "2"))),
      { metadata: { labels: { a: "2" } } },
    ],
    [
      "a map's value before its key",
      node(label(len(2, "1"), len(1, "a"))),
      { metadata: { labels: { a: "1" } } },
    ],
    ["a map's entry without key", node(label(len(2, "1"))), { metadata: { labels: { "": "1" } } }],
    ["a map's entry without value", node(label(len(1, "a"))), { metadata: { labels: { a: "" } } }],
    [
      "unknown fields in a map's entry",
      node(label(len(1, "a"), fixed64(9), len(2, "1"))),
      { metadata: { labels: { a: "1" } } },
    ],
    [
      "packed integers",
      podGroups(len(4, varint(1), varint(300))),
      { spec: { containers: null, securityContext: { supplementalGroups: [1, 300] } } },
    ],
    [
      "packed and unpacked integers mixed",
      podGroups(int(4, 7), len(4, varint(1)), int(4, 8)),
      { spec: { containers: null, securityContext: { supplementalGroups: [7, 1, 8] } } },
    ],
    [
      "an unknown group",
      node(group(99, int(1, 1), group(5)), len(2, len(1, "a"))),
      { spec: { podCIDR: "a" } },
    ],
    [
      "an overlong tag",
      node(Buffer.concat([varint(2 * 8 + 2, 3), varint(3), len(1, "a")])),
      { spec: { podCIDR: "a" } },
    ],
    [
      "an overlong length",
      node(Buffer.concat([varint(2 * 8 + 2), varint(3, 9), len(1, "a")])),
      { spec: { podCIDR: "a" } },
    ],
    ["an int32 of more than 32 bits", service(int(3, 2 ** 32 + 80)), { spec: { ports: [{ port: 80 }] } }],
    [
      "an int32 of five bytes",
      service(Buffer.from("18ffffffff0f", "hex")),
      { spec: { ports: [{ port: -1 }] } },
    ],
    ["an int32 of ten bytes", service(int(3, -1)), { spec: { ports: [{ port: -1 }] } }],
    [
      "an int64 beyond a double",
      node(len(1, int(7, 2n ** 62n + 1n))),
      { metadata: { generation: 2n ** 62n + 1n } },
    ],
    ["a negative int64", node(len(1, int(7, -2n))), { metadata: { generation: -2 } }],
    ["a bool of 2", node(len(2, int(4, 2))), { spec: { unschedulable: true } }],
    ["a bool of 2^32", node(len(2, int(4, 2 ** 32))), { spec: { unschedulable: true } }],
    [
      "a bool whose bits are all beyond 64",
      node(len(2, Buffer.from("2080808080808080808002", "hex"))),
      { spec: {} },
    ],
    ["invalid UTF-8", node(len(2, len(1, Buffer.from([0x61, 0xff])))), { spec: { podCIDR: "a\ufffd" } }],
    [
      "a tag whose high bits overflow an int32",
      node(Buffer.concat([varint((2n ** 32n + 2n) * 8n + 2n), varint(3), len(1, "a")])),
      { spec: { podCIDR: "a" } },
    ],
  ])("%s", (_, decoded, expected) => {
    expect(decoded).toEqual(expected);
  });

  test("a map out of order is shown in the order of its keys' bytes", () => {
    const entry = (key: string) => len(11, len(1, key), len(2, "1"));
    const { metadata } = node(len(1, entry("\u{1f600}"), entry("\uffee"), entry("a")));
    expect(Object.keys(Object(metadata).labels)).toEqual(["a", "\uffee", "\u{1f600}"]);
  });

  test("__proto__ is a label like any other", () => {
    const { metadata } = node(label(len(1, "__proto__"), len(2, "1")));
    expect(Object.entries(Object(metadata).labels)).toEqual([["__proto__", "1"]]);
  });
});

describe("the envelope", () => {
  const typeMeta = len(1, len(1, "v1"), len(2, "Node"));
  const spec = len(2, len(2, len(1, "a")));

  test.each([
    ["contentEncoding and contentType missing", [typeMeta, spec], { spec: { podCIDR: "a" } }],
    ["a contentEncoding, which Go ignores", [typeMeta, spec, len(3, "gzip")], { spec: { podCIDR: "a" } }],
    ["unknown fields", [fixed64(77), typeMeta, group(9), spec], { spec: { podCIDR: "a" } }],
    ["raw twice: the last, not merged", [typeMeta, len(2, len(1)), spec], { spec: { podCIDR: "a" } }],
    ["no raw: an empty object", [typeMeta], {}],
    ["typeMeta behind raw", [spec, typeMeta], { spec: { podCIDR: "a" } }],
    [
      "typeMeta twice: merged",
      [len(1, len(1, "v1")), len(1, len(2, "Node")), spec],
      { spec: { podCIDR: "a" } },
    ],
  ])("with %s", (_, parts, expected) => {
    expect(fields(Buffer.concat([MAGIC, ...parts]))).toEqual(expected);
  });

  test.each([
    ["without typeMeta", Buffer.concat([MAGIC, spec]), "byte 4: the envelope names no kind"],
    [
      "with typeMeta of another wire type",
      Buffer.concat([MAGIC, int(1, 5)]),
      "byte 4: the envelope has wire type 0 where bytes belong",
    ],
    [
      "cut off",
      Buffer.concat([MAGIC, typeMeta.subarray(0, 5)]),
      "byte 5: a length of 10 where 3 bytes are left",
    ],
    [
      "damaged by a terminal",
      Buffer.concat([MAGIC, Buffer.from("\r\n")]),
      "byte 4: the envelope has wire type 5 where bytes belong",
    ],
  ])("%s it is refused", (_, value, why) => {
    expect(() => fields(value)).toThrow(
      expect.objectContaining({
        code: "malformed-object",
        explanation: expect.objectContaining({ what: "the value of /registry/x is malformed", why }),
      }),
    );
  });
});

describe("what Go refuses", () => {
  // The object starts at byte 18 of such a value.
  test.each([
    ["a known field of another wire type", storedNode(int(2, 1)), "byte 18: spec has wire type 0, not 2"],
    ["field number 0", storedNode(Buffer.from([0x02, 0x00])), "byte 18: field number 0"],
    [
      "a field number below 0",
      storedNode(Buffer.concat([varint(0xffff_ffffn * 8n), varint(0)])),
      "byte 18: field number -1",
    ],
    ["the end of a group that did not start", storedNode(Buffer.from([0x4c])), "byte 19: wire type 4"],
    ["wire type 6", storedNode(Buffer.from([0x7e])), "byte 19: wire type 6"],
    [
      "a length past the end",
      storedNode(Buffer.from([0x12, 0x05, 0x0a])),
      "byte 19: a length of 5 where 1 bytes are left",
    ],
    [
      "a negative length",
      storedNode(Buffer.concat([Buffer.from([0x12]), varint(-1)])),
      "byte 19: a length of -1 where 0 bytes are left",
    ],
    [
      "an unfinished varint",
      storedNode(len(2, Buffer.from([0x20, 0x80]))),
      "byte 21: the value ends inside a varint",
    ],
    [
      "an unfinished fixed64",
      storedNode(Buffer.from([0x51, 0x00])),
      "byte 19: the value ends inside a field",
    ],
    [
      "an unfinished group",
      storedNode(Buffer.from([0x53, 0x08, 0x01])),
      "byte 21: the value ends inside a varint",
    ],
    [
      "a varint of eleven bytes",
      storedNode(len(2, Buffer.from(`20${ten}8001`, "hex"))),
      "byte 21: a varint of more than ten bytes",
    ],
  ])("%s", (_, value, why) => {
    expect(() => fields(value)).toThrow(
      expect.objectContaining({ code: "malformed-object", explanation: expect.objectContaining({ why }) }),
    );
  });

  test("a kind that the descriptor does not know", () => {
    expect(() => fields(stored("v1", "Gadget"))).toThrow(
      expect.objectContaining({
        code: "unsupported-format",
        explanation: expect.objectContaining({ why: "the fields of v1 Gadget are not known" }),
      }),
    );
  });
});

describe("a selection", () => {
  const broken = len(3, Buffer.from([0x0a, 0x7f]));
  const value = storedNode(
    len(1, len(1, "n"), len(4, ""), len(11, len(1, "a"), len(2, "1"))),
    len(2, len(1, "a"), len(7, "a")),
    broken,
  );

  test("reads only what is under its paths, and nothing else at all", () => {
    expect(schema.decode("/registry/x", value, ["metadata.name", "spec"]).object).toEqual({
      kind: "Node",
      apiVersion: "v1",
      metadata: { name: "n" },
      spec: { podCIDR: "a", podCIDRs: ["a"] },
    });
  });

  test("of the whole object still refuses what is broken", () => {
    expect(() => schema.decode("/registry/x", value)).toThrow("a length of 127 where 0 bytes are left");
  });

  test("goes through lists and inline structs", () => {
    const env = len(7, len(1, "E"), len(3, len(3, len(1, len(1, "map")), len(2, "k"))));
    const pod = stored("v1", "Pod", len(2, len(2, len(1, "c"), len(2, "image"), env)));
    const paths = ["spec.containers.name", "spec.containers.env.valueFrom.configMapKeyRef.name"];
    expect(schema.decode("/registry/x", pod, paths).object).toMatchObject({
      spec: { containers: [{ name: "c", env: [{ valueFrom: { configMapKeyRef: { name: "map" } } }] }] },
    });
  });
});

describe("an object stored as JSON", () => {
  const json = (text: string) => schema.decode("/registry/x", Buffer.from(text)).object;

  test("of a kind that the descriptor does not know is read as it is", () => {
    expect(
      json(
        '{"apiVersion":"cilium.io/v2","kind":"CiliumNode","spec":{"ipam":{"podCIDRs":["10.0.0.0/24"]}}}\n',
      ),
    ).toEqual({
      kind: "CiliumNode",
      apiVersion: "cilium.io/v2",
      spec: { ipam: { podCIDRs: ["10.0.0.0/24"] } },
    });
  });

  test("keeps integers that a double would round", () => {
    const text =
      '{"apiVersion":"v1","kind":"X","a":[9007199254740993,1e30,0.1234567890123456,"9007199254740993",null]}';
    expect(json(text)["a"]).toEqual([9007199254740993n, 1e30, 0.1234567890123456, "9007199254740993", null]);
  });

  test.each([
    ["without kind", '{"apiVersion":"v1"}', "byte 0: the object names no kind"],
    ["that ends early", '{"apiVersion":"v1","é":', "byte 24: invalid JSON"],
    ["with a comma too many", '{"kind":"X",}', "byte 12: invalid JSON"],
    ["with a comment", '{"kind":"X"/**/}', "byte 11: invalid JSON"],
  ])("%s is refused", (_, text, why) => {
    expect(() => json(text)).toThrow(
      expect.objectContaining({ code: "malformed-object", explanation: expect.objectContaining({ why }) }),
    );
  });

  test("that is no UTF-8 is refused", () => {
    expect(() => schema.decode("/registry/x", Buffer.from([0x7b, 0xff, 0x7d]))).toThrow(
      "the JSON is no valid UTF-8",
    );
  });
});

import { describe, expect, test } from "vitest";
import type { FieldEdit, FieldValue } from "../../src/schema/field-edit.js";
import { createSecondReader } from "../../src/schema/second-reader.js";
import { descriptor, schema } from "../harness/descriptor.js";
import { fixed32, fixed64, group, int, len, MAGIC, stored, storedNode, varint } from "../harness/wire.js";

// Field numbers: Node 1 metadata, 2 spec, 3 status; NodeSpec 1 podCIDR, 3 providerID, 4 unschedulable, 7 podCIDRs;
// ObjectMeta 1 name, 7 generation, 11 labels, 17 managedFields.

const KEY = "/registry/minions/n";
const secondReader = createSecondReader(descriptor);

/** Edits and has the second reader agree. */
function edit(value: Uint8Array, ...edits: readonly FieldEdit[]): Buffer {
  const edited = schema.edit(KEY, value, edits);
  secondReader.check(KEY, value, edited, edits);
  return Buffer.from(edited);
}

const set = (path: string, value: FieldValue): FieldEdit => ({ path, new: value });

/** One unknown field of every wire type, the last with the greatest number there is. */
const unknowns = [int(99, -1), fixed64(98), len(97, "any\0thing"), fixed32(96), int(2 ** 29 - 1, 5)];

describe("an edit replaces the field in its place", () => {
  const before = storedNode(
    len(1, len(1, "n")),
    len(2, len(1, "a"), int(4, 0), len(7, "a"), len(7, "b")),
    len(3),
  );
  const spec = (...fields: readonly Uint8Array[]) =>
    storedNode(len(1, len(1, "n")), len(2, ...fields), len(3));

  test.each([
    [
      "a string",
      set("spec.podCIDR", "10.0.0.0/22"),
      spec(len(1, "10.0.0.0/22"), int(4, 0), len(7, "a"), len(7, "b")),
    ],
    [
      "a string, to an explicit empty one",
      set("spec.podCIDR", ""),
      spec(len(1), int(4, 0), len(7, "a"), len(7, "b")),
    ],
    ["a string, removed", { path: "spec.podCIDR" }, spec(int(4, 0), len(7, "a"), len(7, "b"))],
    ["a bool", set("spec.unschedulable", true), spec(len(1, "a"), int(4, 1), len(7, "a"), len(7, "b"))],
    [
      "a list",
      set("spec.podCIDRs", ["x", "y", "z"]),
      spec(len(1, "a"), int(4, 0), len(7, "x"), len(7, "y"), len(7, "z")),
    ],
    ["a list, emptied", set("spec.podCIDRs", []), spec(len(1, "a"), int(4, 0))],
    ["a list, removed", { path: "spec.podCIDRs" }, spec(len(1, "a"), int(4, 0))],
    ["an element", set("spec.podCIDRs[1]", "y"), spec(len(1, "a"), int(4, 0), len(7, "a"), len(7, "y"))],
    ["an element, removed", { path: "spec.podCIDRs[0]" }, spec(len(1, "a"), int(4, 0), len(7, "b"))],
    [
      "an element behind the last",
      set("spec.podCIDRs[2]", "c"),
      spec(len(1, "a"), int(4, 0), len(7, "a"), len(7, "b"), len(7, "c")),
    ],
    [
      "a field that was not there",
      set("spec.providerID", "p"),
      spec(len(1, "a"), len(3, "p"), int(4, 0), len(7, "a"), len(7, "b")),
    ],
    ["a field that stays absent", { path: "spec.providerID" }, before],
    [
      "nothing in a message that is not there",
      { path: "status.daemonEndpoints.kubeletEndpoint.Port" },
      before,
    ],
  ])("%s", (_, change, expected) => {
    expect(edit(before, change).toString("hex")).toBe(expected.toString("hex"));
  });

  test("a string that makes every length around it a byte longer", () => {
    const long = "x".repeat(20_000);
    const expected = spec(len(1, long), int(4, 0), len(7, "a"), len(7, "b"));
    expect(edit(before, set("spec.podCIDR", long)).equals(expected)).toBe(true);
    expect(edit(expected, set("spec.podCIDR", "a")).equals(before)).toBe(true);
  });

  test.each([
    ["an int64", "metadata.generation", 2n ** 63n - 1n, int(7, 2n ** 63n - 1n)],
    ["a negative int64", "metadata.generation", -2, int(7, -2)],
    [
      "a map's entries",
      "metadata.labels",
      { b: "2", a: "1" },
      Buffer.concat(["a1", "b2"].map(([k = "", v = ""]) => len(11, len(1, k), len(2, v)))),
    ],
  ])("%s", (_, path, value, record) => {
    const expected = storedNode(len(1, len(1, "n"), record), len(2), len(3));
    expect(edit(storedNode(len(1, len(1, "n")), len(2), len(3)), set(path, value)).equals(expected)).toBe(
      true,
    );
  });

  test("bytes", () => {
    const ranges = (data: string) =>
      stored("v1", "RangeAllocation", len(1), len(2, "10.96.0.0/16"), len(3, Buffer.from(data, "hex")));
    expect(edit(ranges("0102"), set("data", "/wAA")).equals(ranges("ff0000"))).toBe(true);
  });

  test("a field of a list's element", () => {
    const ports = (nodePort: number) =>
      stored("v1", "Service", len(1), len(2, len(1, int(3, 80)), len(1, int(3, 443), int(5, nodePort))));
    expect(edit(ports(30_000), set("spec.ports[1].nodePort", -1)).equals(ports(-1))).toBe(true);
  });
});

describe("a map's entry", () => {
  const entry = (key: string, value: string, ...more: readonly Uint8Array[]) =>
    len(11, len(1, key), len(2, value), ...more);
  const node = (...entries: readonly Uint8Array[]) => storedNode(len(1, ...entries), len(2));
  const before = node(entry("a.b/c", "1", fixed32(9)), entry("m", "2"));

  test.each([
    [
      "keeps what else its record has",
      set('metadata.labels["a.b/c"]', "3"),
      node(entry("a.b/c", "3", fixed32(9)), entry("m", "2")),
    ],
    [
      "is found by a plain name",
      set("metadata.labels.m", "3"),
      node(entry("a.b/c", "1", fixed32(9)), entry("m", "3")),
    ],
    ["is removed", { path: "metadata.labels.m" }, node(entry("a.b/c", "1", fixed32(9)))],
    [
      "that is new goes before the first greater key",
      set("metadata.labels.b", "3"),
      node(entry("a.b/c", "1", fixed32(9)), entry("b", "3"), entry("m", "2")),
    ],
    [
      "that is the greatest goes behind",
      set("metadata.labels.z", "3"),
      node(entry("a.b/c", "1", fixed32(9)), entry("m", "2"), entry("z", "3")),
    ],
    ["that is not there is removed", { path: "metadata.labels.z" }, before],
  ])("%s", (_, change, expected) => {
    expect(edit(before, change).toString("hex")).toBe(expected.toString("hex"));
  });

  test("that is there twice becomes one, the last", () => {
    const doubled = node(entry("a", "1"), entry("b", "2"), entry("a", "3", int(9, 1)));
    expect(
      edit(doubled, set("metadata.labels.a", "4")).equals(node(entry("b", "2"), entry("a", "4", int(9, 1)))),
    ).toBe(true);
  });

  test("without value gets one", () => {
    expect(
      edit(node(len(11, len(1, "a"))), set("metadata.labels.a", "4")).equals(node(entry("a", "4"))),
    ).toBe(true);
  });
});

describe("an edit leaves as they are", () => {
  test("unknown fields of every wire type, at every level, in their places", () => {
    const [first, ...others] = unknowns;
    const value = (block: string) =>
      Buffer.concat([
        MAGIC,
        ...unknowns,
        len(1, ...unknowns, len(1, "v1"), len(2, "Node")),
        len(2, ...unknowns, len(1, ...unknowns), len(2, first ?? "", len(1, block), ...others), ...unknowns),
        ...unknowns,
      ]);
    expect(
      edit(value("a"), set("spec.podCIDR", "longer than before")).equals(value("longer than before")),
    ).toBe(true);
  });

  test("fields out of order and list elements apart", () => {
    const value = (block: string) =>
      storedNode(len(3), len(2, len(7, "b"), int(4, 1), len(1, block), len(7, "c")), len(1));
    expect(edit(value("a"), set("spec.podCIDR", "xyz")).equals(value("xyz"))).toBe(true);
  });

  test("explicit empty fields", () => {
    const value = (block: string) =>
      storedNode(len(1, len(1), len(2), len(8)), len(2, len(1, block), len(2), len(3), int(4, 0)), len(3));
    expect(edit(value(""), set("spec.podCIDR", "xyz")).equals(value("xyz"))).toBe(true);
  });

  test("the stored apiVersion", () => {
    const value = (cidr: string) =>
      stored("networking.k8s.io/v1beta1", "ServiceCIDR", len(1), len(2, len(1, cidr)), len(3));
    expect(edit(value("10.96.0.0/16"), set("spec.cidrs", ["10.0.0.0/8"])).equals(value("10.0.0.0/8"))).toBe(
      true,
    );
  });

  test("1.4 MB of other fields", () => {
    const images = Array.from({ length: 15_000 }, (_, index) =>
      len(8, len(1, `registry/${index}`.padEnd(90)), int(2, index)),
    );
    const value = (block: string) => storedNode(len(1), len(2, len(1, block)), len(3, ...images));
    expect(value("a").length).toBeGreaterThan(1_400_000);
    expect(edit(value("a"), set("spec.podCIDR", "xyz")).equals(value("xyz"))).toBe(true);
  });

  test("invalid UTF-8, overlong varints and groups in parts that are not edited", () => {
    const odd = [
      len(1, Buffer.from([0xff])),
      len(5, group(5)),
      Buffer.concat([varint(9 * 8 + 2, 4), varint(2, 5), Buffer.from("ab")]),
    ];
    const value = (block: string) =>
      storedNode(len(1, group(77), ...odd), len(2, len(1, block), len(2, Buffer.from([0xc3]))), len(3));
    expect(edit(value("a"), set("spec.podCIDR", "xyz")).equals(value("xyz"))).toBe(true);
  });

  test("a trailing newline and every space of JSON", () => {
    const value = (block: string) =>
      `{"kind": "Node",\t"apiVersion":"v1", "spec":{ "podCIDR" :"${block}","x":1.0 }}\n`;
    expect(edit(Buffer.from(value("a")), set("spec.podCIDR", "xyz")).toString()).toBe(value("xyz"));
  });
});

describe("what is doubled", () => {
  test("a scalar becomes one, in the place of the first", () => {
    const before = storedNode(len(2, len(1, "a"), int(4, 1), len(1, "b")));
    expect(edit(before, set("spec.podCIDR", "c")).equals(storedNode(len(2, len(1, "c"), int(4, 1))))).toBe(
      true,
    );
  });

  test("a message on the way is merged, in the place of the first", () => {
    const before = storedNode(len(2, len(1, "a"), fixed64(50)), len(1), len(2, len(7, "x"), fixed32(51)));
    const expected = storedNode(len(2, len(1, "c"), fixed64(50), len(7, "x"), fixed32(51)), len(1));
    expect(edit(before, set("spec.podCIDR", "c")).equals(expected)).toBe(true);
  });

  test("of an envelope's raws the last counts", () => {
    const typeMeta = len(1, len(1, "v1"), len(2, "Node"));
    const before = Buffer.concat([
      MAGIC,
      typeMeta,
      len(2, len(2, len(3, "lost"))),
      int(9, 1),
      len(2, len(2, len(1, "a"))),
    ]);
    const expected = Buffer.concat([MAGIC, typeMeta, len(2, len(2, len(1, "c"))), int(9, 1)]);
    expect(edit(before, set("spec.podCIDR", "c")).equals(expected)).toBe(true);
  });
});

describe("an edit refuses, naming key and offset", () => {
  const overlongTag = Buffer.concat([varint(1 * 8 + 2, 2), varint(1), Buffer.from("a")]);
  const overlongLength = Buffer.concat([varint(1 * 8 + 2), varint(1, 2), Buffer.from("a")]);
  const overlongSpec = Buffer.concat([varint(2 * 8 + 2), varint(3, 3), len(1, "a")]);
  const typeMeta = len(1, len(1, "v1"), len(2, "Node"));

  // The object starts at byte 18, the first field of its spec at byte 20.
  test.each([
    ["a group beside the field", storedNode(len(2, group(50))), "byte 20: a group on the way to the field"],
    ["a group beside spec", storedNode(group(50), len(2)), "byte 18: a group on the way to the field"],
    [
      "a group in the envelope",
      Buffer.concat([MAGIC, typeMeta, group(50)]),
      "byte 16: a group on the way to the field",
    ],
    ["an overlong tag", storedNode(len(2, overlongTag)), "byte 20: field 1 has an overlong tag or length"],
    [
      "an overlong length",
      storedNode(len(2, overlongLength)),
      "byte 20: field 1 has an overlong tag or length",
    ],
    ["an overlong length around", storedNode(overlongSpec), "byte 18: field 2 has an overlong tag or length"],
    ["another wire type", storedNode(len(2, int(1, 5))), "byte 20: field 1 has wire type 0, not 2"],
    [
      "a truncated value",
      storedNode(len(2, len(1, "a"))).subarray(0, 22),
      "byte 17: a length of 5 where 4 bytes are left",
    ],
    [
      "a length past the end",
      storedNode(len(2, Buffer.from([0x0a, 9, 0x61]))),
      "byte 21: a length of 9 where 1 bytes are left",
    ],
    ["a field number above 2^29-1", storedNode(len(2, int(2 ** 29, 1))), "byte 20: field number 536870912"],
    [
      "a field in a message that is not there",
      storedNode(len(1)),
      "byte 20: spec is not there, so nothing in it can be set",
    ],
    [
      "a content encoding",
      Buffer.concat([MAGIC, typeMeta, len(2, len(2)), len(3, "gzip")]),
      "byte 20: the envelope has a content encoding",
    ],
    [
      "an element beyond the list",
      storedNode(len(2, len(7, "a"))),
      "byte 23: podCIDRs has 1 elements, no [3]",
      set("spec.podCIDRs[3]", "x"),
    ],
    [
      "a map's key of another type",
      storedNode(len(1, len(11, int(1, 1)))),
      "byte 22: a map's key is no string",
      set("metadata.labels.a", "1"),
    ],
    [
      "a doubled name of JSON",
      Buffer.from('{"kind":"Node","spec":{},"spec":{}}'),
      "byte 25: spec is there twice",
    ],
    [
      "a JSON object that is not there",
      Buffer.from('{"kind":"Node"}'),
      "byte 0: spec is not there, so nothing in it can be set",
    ],
    ["broken JSON", Buffer.from('{"kind":"Node",'), "byte 15: invalid JSON"],
    [
      "what is no stored value",
      Buffer.from("hello"),
      "byte 0: neither protobuf (k8s\\0), JSON ({), CBOR nor k8s:enc:",
    ],
    ["an empty value", Buffer.alloc(0), "byte 0: neither protobuf (k8s\\0), JSON ({), CBOR nor k8s:enc:"],
  ])("%s", (_, value, why, change = set("spec.podCIDR", "x")) => {
    expect(() => schema.edit(KEY, value, [change])).toThrow(
      expect.objectContaining({
        code: "malformed-object",
        explanation: expect.objectContaining({ what: `the value of ${KEY} is malformed`, why }),
      }),
    );
  });

  test.each([
    [
      "an encrypted value",
      Buffer.from("k8s:enc:aescbc:v1:key1:\x01\x02"),
      "it is encrypted at rest (k8s:enc:aescbc)",
    ],
    ["a CBOR value", Buffer.from("d9d9f7a0", "hex"), "it is stored as CBOR"],
  ])("%s", (_, value, why) => {
    const unsupported = expect.objectContaining({
      code: "unsupported-format",
      explanation: expect.objectContaining({ what: `the value of ${KEY} cannot be read`, why }),
    });
    expect(() => schema.edit(KEY, value, [set("spec.podCIDR", "x")])).toThrow(unsupported);
    expect(() => schema.decode(KEY, value)).toThrow(unsupported);
    expect(() => schema.readField(KEY, value, "spec.podCIDR")).toThrow(unsupported);
  });
});

describe("a path is refused where it", () => {
  const known =
    "podCIDR, podCIDRs, providerID, unschedulable, taints, configSource, externalID, podPreemptionPolicy";

  test.each([
    ["names no field", "spec.podCidr", `podCidr is no field of core.v1.NodeSpec: ${known}`],
    ["goes on below a string", "spec.podCIDR.x", "it goes on below podCIDR, which has no fields"],
    [
      "goes on below a time",
      "metadata.creationTimestamp.seconds",
      "it goes on below creationTimestamp, which has no fields",
    ],
    ["goes on below a map's entry", "metadata.labels.a.b", "it goes on below labels, which has no fields"],
    ["names a field of a list", "spec.taints.key", "taints is a list"],
    ["has an index into a string", "spec.podCIDR[0]", "podCIDR is no list or map"],
    ["has an index into a map", "metadata.labels[0]", "labels is a map"],
    ["has a key into a list", 'spec.podCIDRs["a"]', "podCIDRs is a list"],
    ["is empty", "", 'character 1: a path is name(.name | [index] | ["key"])*'],
    ["starts with a dot", ".spec", 'character 1: a path is name(.name | [index] | ["key"])*'],
    ["ends with a dot", "spec.", 'character 5: a path is name(.name | [index] | ["key"])*'],
    [
      "has names without a dot between",
      "spec[0]x",
      'character 8: a path is name(.name | [index] | ["key"])*',
    ],
    [
      "ends in a message",
      "spec",
      "only strings, numbers, booleans, bytes, lists and maps of them are edited",
    ],
  ])("%s", (_, path, why) => {
    expect(() => schema.edit(KEY, storedNode(len(2)), [set(path, "x")])).toThrow(
      expect.objectContaining({ code: "usage", explanation: expect.objectContaining({ why }) }),
    );
  });

  test.each([
    ["spec.podCIDR", 5, "number does not fit the field"],
    ["spec.podCIDR", null, "object does not fit the field"],
    ["spec.podCIDRs", "a", "a list is expected"],
    ["spec.podCIDRs", [1], "number does not fit the field"],
    ["spec.unschedulable", "true", "string does not fit the field"],
    ["metadata.labels", ["a"], "a map is expected"],
    ["metadata.generation", 1.5, "number does not fit the field"],
    ["metadata.generation", 2n ** 63n, "bigint does not fit the field"],
  ])("%s cannot be %s", (path, value, why) => {
    expect(() => schema.edit(KEY, storedNode(len(1), len(2)), [set(path, value)])).toThrow(
      expect.objectContaining({ code: "usage", explanation: expect.objectContaining({ why }) }),
    );
  });

  test("goes into a text", () => {
    const change: FieldEdit = { ...set("data.x", "y"), inner: { syntax: "yaml", pointer: "/a" } };
    expect(() => schema.edit(KEY, stored("v1", "ConfigMap"), [change])).toThrow(
      "a text inside a field is not edited yet",
    );
  });
});

describe("readField", () => {
  const labels = len(11, len(1, "a.b/c"), len(2, "1"));
  const value = storedNode(len(1, int(7, 3), labels), len(2, len(1), int(4, 0), len(7, "a"), len(7, "b")));

  test.each([
    ["an explicit empty string", "spec.podCIDR", ""],
    ["an absent string", "spec.providerID", undefined],
    ["an explicit false", "spec.unschedulable", false],
    ["a list", "spec.podCIDRs", ["a", "b"]],
    ["a list's element", "spec.podCIDRs[1]", "b"],
    ["an element beyond the list", "spec.podCIDRs[2]", undefined],
    ["an absent list", "spec.taints", undefined],
    ["a map", "metadata.labels", { "a.b/c": "1" }],
    ["a map's entry", 'metadata.labels["a.b/c"]', "1"],
    ["an absent entry", "metadata.labels.x", undefined],
    ["a field in an absent message", "status.nodeInfo.osImage", undefined],
    ["a message", "spec", { podCIDRs: ["a", "b"] }],
  ])("%s", (_, path, expected) => {
    expect(schema.readField(KEY, value, path)).toEqual(expected);
  });

  test.each([
    ["spec.podCIDR", ""],
    ["spec.podCIDRs[0]", "a"],
    ["spec.podCIDRs[1]", undefined],
    ["spec.podCIDRs.length", undefined],
    ["spec.toString", undefined],
    ["spec.podCIDR.x", undefined],
  ])("%s of JSON", (path, expected) => {
    const json = Buffer.from('{"kind":"Node","apiVersion":"v1","spec":{"podCIDR":"","podCIDRs":["a"]}}');
    expect(schema.readField(KEY, json, path)).toBe(expected);
  });
});

import { describe, expect, test } from "vitest";
import type { FieldEdit } from "../../src/schema/field-edit.js";
import type { StoredObject } from "../../src/schema/schema.js";
import { createSecondReader } from "../../src/schema/second-reader.js";
import { descriptor, schema } from "../harness/descriptor.js";
import { type FixtureKey, readFixture } from "../harness/fixture.js";
import { absentFolders, fixturesFolder, readApiAnswers } from "../harness/shared.js";

const secondReader = createSecondReader(descriptor);
const NODE = "/registry/minions/";
/** Where the kinds of the descriptor are stored. */
const BUILTIN =
  /^\/registry\/(configmaps|ipaddresses|leases|masterleases|minions|namespaces|pods|ranges|secrets|servicecidrs|services)\//;

/** What the change of the fixture wrote, as edits of the stored Node. */
function podEdits(before: FixtureKey, after: FixtureKey) {
  return ["spec.podCIDR", "spec.podCIDRs"].map((path) => {
    const old = schema.readField(before.key, before.value, path);
    const now = schema.readField(after.key, after.value, path);
    return { path, ...(old === undefined ? {} : { old }), ...(now === undefined ? {} : { new: now }) };
  });
}

/** An element of a list as the API answers it: without kind, with the key's revision. */
function withRevision(
  { kind: _kind, apiVersion: _apiVersion, ...object }: StoredObject["object"],
  modRevision: bigint,
) {
  const metadata = { ...Object(object["metadata"]), resourceVersion: String(modRevision) };
  return { ...object, metadata };
}

type Named = { readonly metadata: { readonly namespace?: string; readonly name: string } };

function byName(a: Named, b: Named): number {
  const names = [a, b].map(({ metadata }) => `${metadata.namespace ?? ""}/${metadata.name}`);
  return Buffer.compare(Buffer.from(names[0] ?? ""), Buffer.from(names[1] ?? ""));
}

describe("a real change of the pod network", () => {
  const before = readFixture("v1.36-single").filter(({ key }) => key.startsWith(NODE));
  const after = readFixture("v1.36-single.after-pod-change").filter(({ key }) => key.startsWith(NODE));
  const pairs = before.map((node, index) => ({ key: node.key, node, changed: after[index] ?? node }));

  test("has five Nodes, all of them changed", () => {
    expect(pairs.filter(({ node, changed }) => !Buffer.from(node.value).equals(changed.value))).toHaveLength(
      5,
    );
  });

  test.each(pairs)("$key: the edit gives the stored bytes, and back", ({ key, node, changed }) => {
    const edits = podEdits(node, changed);
    const edited = schema.edit(key, node.value, edits);
    expect(Buffer.from(edited).equals(changed.value)).toBe(true);
    secondReader.check(key, node.value, edited, edits);
    const back = podEdits(changed, node);
    expect(Buffer.from(schema.edit(key, edited, back)).equals(node.value)).toBe(true);
    secondReader.check(key, edited, node.value, back);
  });
});

const RESOURCES: Readonly<Record<string, string>> = {
  nodes: "/registry/minions/",
  services: "/registry/services/specs/",
  servicecidrs: "/registry/servicecidrs/",
  ipaddresses: "/registry/ipaddresses/",
};

describe.each(["v1.36-single", "v1.33-dual-write", "v1.32-bitmap"])("the cluster %s", (name) => {
  const keys = readFixture(name);
  const builtin = keys.filter(({ key }) => BUILTIN.test(key));

  test("is read whole: every stored object of the known kinds", () => {
    expect(builtin.length).toBeGreaterThan(50);
    for (const { key, value } of builtin) {
      expect(schema.decode(key, value).object["metadata"], key).toBeDefined();
    }
  });

  test("keeps its bytes when every name is changed and changed back", () => {
    for (const { key, value } of builtin) {
      const name = schema.readField(key, value, "metadata.name");
      const change: FieldEdit[] = [{ path: "metadata.name", new: "x".repeat(200) }];
      const edited = schema.edit(key, value, change);
      secondReader.check(key, value, edited, change);
      const back: FieldEdit[] = [
        name === undefined ? { path: "metadata.name" } : { path: "metadata.name", new: name },
      ];
      expect(Buffer.from(schema.edit(key, edited, back)).equals(value), key).toBe(true);
    }
  });

  const answers = readApiAnswers(name) ?? {};
  const listed = Object.entries(answers).flatMap(([resource, items]) =>
    Array.isArray(items) ? [{ resource, items }] : [],
  );
  test.each(listed)("shows its $resource as the API did", ({ resource, items }) => {
    const shown = keys
      .filter(({ key }) => key.startsWith(RESOURCES[resource] ?? "?"))
      .map(({ key, value, modRevision }) => withRevision(schema.decode(key, value).object, modRevision));
    expect(shown.sort(byName)).toEqual(items.sort(byName));
  });
});

test("an encrypted cluster's values are refused by name", () => {
  const encrypted = readFixture("v1.36-dual-encrypted").filter(({ value }) =>
    Buffer.from(value).toString("latin1").startsWith("k8s:enc:"),
  );
  expect(encrypted).toHaveLength(56);
  for (const { key, value } of encrypted) {
    expect(() => schema.decode(key, value)).toThrow(
      expect.objectContaining({
        code: "unsupported-format",
        message: expect.stringMatching(
          /^the value of \/registry\/.* cannot be read: it is encrypted at rest \(k8s:enc:(aescbc|aesgcm|secretbox)\)$/,
        ),
      }),
    );
  }
});

test.each(absentFolders(fixturesFolder))("the API's answers could not be compared: %s is absent", () => {});

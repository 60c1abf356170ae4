import { expect, test } from "vitest";
import { createLayouts, type Message } from "../../src/schema/descriptor.js";
import { descriptor } from "../harness/descriptor.js";

const layouts = createLayouts(descriptor);

function reachable(message: Message, seen: Set<Message> = new Set()): Set<Message> {
  seen.add(message);
  const inner = message.fields.flatMap((field) => (field.message ? [field.message] : []));
  for (const next of inner.filter((candidate) => !seen.has(candidate))) reachable(next, seen);
  return seen;
}

test("holds the kinds that are stored, by stored apiVersion", () => {
  expect(Object.keys(descriptor.kinds)).toEqual([
    "coordination.k8s.io/v1/Lease",
    "discovery.k8s.io/v1/EndpointSlice",
    "networking.k8s.io/v1/IPAddress",
    "networking.k8s.io/v1/ServiceCIDR",
    "networking.k8s.io/v1beta1/IPAddress",
    "networking.k8s.io/v1beta1/ServiceCIDR",
    "v1/ConfigMap",
    "v1/Endpoints",
    "v1/Namespace",
    "v1/Node",
    "v1/Pod",
    "v1/RangeAllocation",
    "v1/Secret",
    "v1/Service",
  ]);
});

test("every message that a kind reaches is there, and no other", () => {
  const kinds = Object.keys(descriptor.kinds).flatMap((kind) => {
    const slash = kind.lastIndexOf("/");
    return layouts.ofKind(kind.slice(0, slash), kind.slice(slash + 1)) ?? [];
  });
  const names = new Set(kinds.flatMap((kind) => [...reachable(kind)]).map((message) => message.name));
  const listed = Object.entries(descriptor.messages).flatMap(([folder, own]) =>
    Object.keys(own).map((name) => `${folder}.${name}`),
  );
  expect([...names].filter((name) => name.includes(".")).sort()).toEqual(listed.sort());
});

test("a field's layout", () => {
  const spec = layouts.ofKind("v1", "Node")?.fields.find((field) => field.name === "spec")?.message;
  expect(spec?.name).toBe("core.v1.NodeSpec");
  expect(spec?.byNumber.get(7)).toEqual({
    number: 7,
    name: "podCIDRs",
    kind: "s",
    shape: "list",
    isPointer: false,
    omitEmpty: true,
    omitZero: false,
    isGone: false,
    index: 1,
    message: undefined,
  });
});

test("a field that newer releases dropped", () => {
  const spec = layouts.ofKind("v1", "Pod")?.fields.find((field) => field.name === "spec")?.message;
  expect(spec?.byNumber.get(42)).toMatchObject({ name: "workloadRef", isGone: true, isPointer: true });
});

test("no kind of that name", () => {
  expect(layouts.ofKind("v1", "Gadget")).toBeUndefined();
});

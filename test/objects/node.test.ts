import { describe, expect, test } from "vitest";
import { NODE_SELECTION, readNode } from "../../src/objects/node.js";
import type { StoredObject } from "../../src/schema/schema.js";
import { schema } from "../harness/descriptor.js";
import { readFixture } from "../harness/fixture.js";
import { object } from "./read.js";

const SOURCE = { key: "/registry/minions/n1", modRevision: 7n, sha256: "ab", valueBytes: 9 };
const read = (fields: StoredObject["object"]) =>
  readNode(SOURCE, object({ metadata: { name: "n1", uid: "u-1" }, ...fields }));

describe("a Node", () => {
  test("of a recorded cluster, with what is selected of it", () => {
    const nodes = readFixture("v1.36-single").filter(({ key }) => key.startsWith("/registry/minions/"));
    const facts = nodes.map(({ key, value }) =>
      readNode({ ...SOURCE, key }, schema.decode(key, value, NODE_SELECTION)),
    );
    expect(facts).toEqual(
      nodes.map(({ key, value }) => readNode({ ...SOURCE, key }, schema.decode(key, value))),
    );
    expect(
      facts.map(({ name, podCidr, podCidrs, podCapacity }) => [name, podCidr, podCidrs, podCapacity]),
    ).toEqual([
      ["kube-1", "10.112.0.0/24", ["10.112.0.0/24"], 110],
      ["kube-2", "10.112.1.0/24", ["10.112.1.0/24"], 110],
      ["kube-3", "10.112.2.0/24", ["10.112.2.0/24"], 110],
      ["worker-1", "10.112.4.0/24", ["10.112.4.0/24"], 110],
      ["worker-2", "10.112.6.0/24", ["10.112.6.0/24"], 110],
    ]);
    expect(facts.every(({ uid, addresses }) => uid.length === 36 && addresses.length === 1)).toBe(true);
  });

  test("with nothing but a name", () => {
    expect(read({})).toEqual({ ...SOURCE, name: "n1", uid: "u-1", podCidrs: [], addresses: [] });
  });

  test("an explicit empty podCIDR is there, a missing one is not", () => {
    expect(read({ spec: { podCIDR: "" } }).podCidr).toBe("");
    expect("podCidr" in read({ spec: {} })).toBe(false);
  });

  test("addresses are those that are IP addresses", () => {
    const addresses = [
      { type: "InternalIP", address: "192.168.1.10" },
      { type: "ExternalIP", address: "fd00::1" },
      { type: "Hostname", address: "10.0.0.1" },
      { type: "InternalIP", address: "no address" },
      { type: "InternalIP" },
    ];
    expect(read({ status: { addresses } }).addresses).toEqual([
      { family: 4, value: 0xc0a8010an },
      { family: 6, value: 0xfd000000000000000000000000000001n },
    ]);
  });

  test("the Pod capacity is what is allocatable, else the capacity, as number or text", () => {
    expect(read({ status: { allocatable: { pods: "110" }, capacity: { pods: "250" } } }).podCapacity).toBe(
      110,
    );
    expect(read({ status: { allocatable: {}, capacity: { pods: 250 } } }).podCapacity).toBe(250);
    expect(read({ status: { capacity: { pods: "many" } } }).podCapacity).toBeUndefined();
  });

  test("OVN-Kubernetes' annotation", () => {
    const annotations = { "k8s.ovn.org/node-subnets": '{"default":["10.128.0.0/23"]}' };
    const metadata = { name: "n1", uid: "u-1", annotations };
    expect(read({ metadata }).ovnSubnets).toBe('{"default":["10.128.0.0/23"]}');
  });
});

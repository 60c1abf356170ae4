import { expect, test } from "vitest";
import type { ChangeRecord } from "../../src/plan/change-record.js";
import { createNameWriter } from "../../src/plan/own-writer.js";
import { cluster } from "../harness/read-set.js";
import { journaled, planOver } from "./scene.js";

const KEY = "/registry/minions/n1";
const change = journaled(
  planOver(cluster().node("n1", "10.1.0.0/24").node("n2", "10.1.1.0/24"), "10.2.0.0/16"),
  { changeId: "here", written: ["n1"], end: "part-applied" },
);
const RECORD: ChangeRecord = {
  id: "there",
  operation: "change-pod-cidr",
  host: "kube-2",
  user: "ann",
  journal: "/var/lib/etcdcidr/there",
  atMs: 0,
  state: "done",
  targets: ["10.3.0.0/16", "fd00:3::/48"],
};
const holding = (block: string) => (path: string) => (path === "spec.podCIDR" ? block : [block]);

test("a change whose journal has these very values for this Node, and has sent them", () => {
  const nameWriter = createNameWriter([change], []);
  expect(nameWriter(KEY, holding("10.2.0.0/24"))).toBe("change here of root@kube-1");
  expect(nameWriter(KEY, holding("10.2.1.0/24"))).toBeUndefined();
  expect(nameWriter("/registry/minions/n2", holding("10.2.1.0/24"))).toBeUndefined();
  expect(nameWriter("/registry/minions/n9", holding("10.2.0.0/24"))).toBeUndefined();
});

test.each<[string, Partial<ChangeRecord>, string, string | undefined]>([
  ["a standing one in whose range the block lies", {}, "10.3.7.0/24", "change there of ann@kube-2"],
  ["of either family", {}, "fd00:3:0:1::/64", "change there of ann@kube-2"],
  ["none where it lies outside", {}, "10.4.0.0/24", undefined],
  ["none that is undone", { undoneBy: "x" }, "10.3.7.0/24", undefined],
  ["none that wrote nothing", { state: "not-written" }, "10.3.7.0/24", undefined],
  ["none for what is no block", {}, "none", undefined],
])("a change of another host: %s", (_case, rest, block, named) => {
  expect(createNameWriter([change], [{ ...RECORD, ...rest }])(KEY, holding(block))).toBe(named);
});

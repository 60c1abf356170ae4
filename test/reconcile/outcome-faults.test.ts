import { expect, test } from "vitest";
import { outcomeFaults } from "../../src/reconcile/member/outcome-faults.js";
import { member } from "./cluster-scene.js";
import { observed, WANTED, withThird } from "./member-scene.js";

test.each([
  ["all is well", member(3), {}, []],
  ["it has another name", member(3, { name: "kube-9" }), {}, ["it calls itself kube-9, not kube-3"]],
  ["it is older", member(3), { version: "3.5.21" }, ["it runs etcd 3.5.21, and others 3.6.16"]],
  ["it is newer", member(3), { version: "3.7.0" }, []],
  ["it has another patch", member(3), { version: "3.6.1" }, []],
])("%s", (_what, entry, status, faults) => {
  expect(outcomeFaults(observed([entry], {}, withThird(entry, status)), WANTED)).toEqual(faults);
});

test("it is listed no more", () => {
  expect(outcomeFaults(observed([]), WANTED)).toEqual(["it is no longer listed"]);
});

import { expect, test } from "vitest";
import { remainingSteps } from "../../src/plan/remaining-steps.js";
import { cluster } from "../harness/read-set.js";
import { moves, planOver } from "./scene.js";

const three = () =>
  cluster()
    .kcm({ "cluster-cidr": "10.112.0.0/16" })
    .node("n1", "10.112.0.0/24")
    .node("n2", "10.112.1.0/24")
    .node("n3", "10.112.2.0/24");

const stepsOf = (builder: ReturnType<typeof three>, nodes: string[]) => {
  const { outline } = planOver(builder, "10.212.0.0/16", { nodes });
  return remainingSteps(outline.families, builder.build(), outline.nodes).map(
    ({ where, what }) => `${where}: ${what}`,
  );
};

test("while Nodes stay outside the new range kube-controller-manager is not to be started with it", () => {
  expect(stepsOf(three(), ["n2"])).toEqual([
    "kube-controller-manager: do not start it with these flags yet: it exits while a Node is outside its range, and n1, n3 have other blocks",
    "host kube-1: kube-controller-manager: set --cluster-cidr=10.212.0.0/16 and restart it",
  ]);
});

test("when all are in it there is nothing to wait for", () => {
  expect(stepsOf(three(), [])).toEqual([
    "host kube-1: kube-controller-manager: set --cluster-cidr=10.212.0.0/16 and restart it",
  ]);
});

test("flags that have not followed an earlier change do not leave all Nodes outside", () => {
  const moved = cluster()
    .kcm({ "cluster-cidr": "10.112.0.0/16" })
    .kubeadm("10.112.0.0/16")
    .node("n1", "10.212.0.0/24")
    .node("n2", "10.212.1.0/24");
  expect(moves(planOver(moved, "10.213.0.0/16"))).toEqual([
    "n1 10.212.0.0/24 -> 10.213.0.0/24 (index 0)",
    "n2 10.212.1.0/24 -> 10.213.1.0/24 (index 1)",
  ]);
});

test("a family that no Node has or gets is no part of the plan", () => {
  const { outline, findings } = planOver(three(), "10.212.0.0/16,fd00:10:212::/48");
  expect(outline.families.map(({ target }) => target)).toEqual(["10.212.0.0/16"]);
  expect(findings.map(({ code, what }) => `${code}: ${what}`)).toContain(
    "left-alone: 3 Nodes left alone for IPv6: n1, n2, n3",
  );
});

test("flannel reads an added family only with EnableIPv6", () => {
  const key = "/registry/configmaps/kube-flannel/kube-flannel-cfg";
  const builder = three().with({ flannel: { key, network: "10.112.0.0/16" } });
  const { outline } = planOver(builder, "10.112.0.0/16,fd00:10:212::/48", { addFamily: true });
  const steps = remainingSteps(outline.families, builder.build(), outline.nodes);
  expect(steps.find(({ where }) => where.includes("flannel"))?.what).toBe(
    "set IPv6Network to fd00:10:212::/48 and set EnableIPv6 to true in net-conf.json now, before any flanneld or node restarts",
  );
});

import { describe, expect, test } from "vitest";
import { parseAddress } from "../../src/cidr/parse.js";
import { createOldPodCounter } from "../../src/plan/count-old-pods.js";
import { nodeFacts } from "../harness/read-set.js";

describe("Pods that have addresses of no block of their Node", () => {
  const nodes = [
    nodeFacts("n1", { podCidrs: ["10.212.0.0/24", "fd00:2::/64"] }),
    nodeFacts("n2", { podCidrs: ["10.212.1.0/24"] }),
  ];
  const counted = (...pods: [string, ...string[]][]) => {
    const counter = createOldPodCounter(nodes);
    for (const [node, ...addresses] of pods) {
      counter.add({ node, addresses: addresses.map((text) => ({ pod: "a/b", ...parseAddress(text) })) });
    }
    return [...counter.counts];
  };

  test("are counted by Node", () => {
    expect(
      counted(["n1", "10.112.0.7"], ["n1", "10.212.0.7"], ["n2", "10.112.1.7"], ["n2", "10.112.1.8"]),
    ).toEqual([
      ["n1", 1],
      ["n2", 2],
    ]);
  });

  test("one old address of two is enough, and counts once", () => {
    expect(counted(["n1", "10.212.0.7", "fd00:1::7"])).toEqual([["n1", 1]]);
    expect(counted(["n1", "10.112.0.7", "fd00:1::7"])).toEqual([["n1", 1]]);
    expect(counted(["n1", "10.212.0.7", "fd00:2::7"])).toEqual([]);
  });

  test("an address of another Node's block is an old one", () => {
    expect(counted(["n1", "10.212.1.7"])).toEqual([["n1", 1]]);
  });

  test("on a Node that is gone all are", () => {
    expect(counted(["n9", "10.212.0.7"])).toEqual([["n9", 1]]);
  });
});

import { describe, expect, test } from "vitest";
import { type PodFacts, type PodTally, readPod, tallyPod } from "../../src/objects/pod-tally.js";
import type { FieldValue } from "../../src/schema/field-edit.js";
import { object } from "./read.js";

const pod = (
  status: Record<string, FieldValue>,
  spec: Record<string, FieldValue> = { nodeName: "n1" },
): PodFacts | undefined => readPod(object({ metadata: { namespace: "shop", name: "cart-1" }, spec, status }));

describe("a Pod that holds addresses of the pod network", () => {
  test("is on a Node, with each of its addresses once", () => {
    const podIPs = [{ ip: "10.112.0.7" }, { ip: "fd00::7" }];
    expect(pod({ phase: "Running", podIP: "10.112.0.7", podIPs })).toEqual({
      node: "n1",
      addresses: [
        { pod: "shop/cart-1", family: 4, value: 0x0a700007n },
        { pod: "shop/cart-1", family: 6, value: 0xfd000000000000000000000000000007n },
      ],
    });
  });

  test("may have podIP alone", () => {
    expect(pod({ podIP: "10.112.0.7" })?.addresses).toHaveLength(1);
  });

  test.each<[string, Record<string, FieldValue>, Record<string, FieldValue>]>([
    ["not scheduled", { podIP: "10.112.0.7" }, {}],
    ["on no node by name", { podIP: "10.112.0.7" }, { nodeName: "" }],
    ["on the host's network", { podIP: "192.168.1.10" }, { nodeName: "n1", hostNetwork: true }],
    ["done", { podIP: "10.112.0.7", phase: "Succeeded" }, { nodeName: "n1" }],
    ["failed", { podIP: "10.112.0.7", phase: "Failed" }, { nodeName: "n1" }],
    ["without an address yet", { phase: "Pending" }, { nodeName: "n1" }],
    ["with an address that is none", { podIP: "10.112.0" }, { nodeName: "n1" }],
  ])("is none when %s", (_title, status, spec) => {
    expect(pod(status, spec)).toBeUndefined();
  });

  test("hostNetwork: false is the pod network", () => {
    expect(pod({ podIP: "10.112.0.7" }, { nodeName: "n1", hostNetwork: false })).toBeDefined();
  });
});

describe("the tally of a Node's Pods", () => {
  test("counts them, and keeps the outermost of each family", () => {
    const tallies = new Map<string, PodTally>();
    const add = (name: string, node: string, ...ips: string[]) => {
      const facts = readPod(
        object({
          metadata: { namespace: "a", name },
          spec: { nodeName: node },
          status: { podIPs: ips.map((ip) => ({ ip })) },
        }),
      );
      tallyPod(tallies, facts as PodFacts);
    };
    add("middle", "n1", "10.112.0.7", "fd00::7");
    add("high", "n1", "10.112.0.200");
    add("low", "n1", "10.112.0.2", "fd00::9");
    add("other", "n2", "10.112.1.1");
    const names = (side: "lowest" | "highest", node: string) =>
      [...(tallies.get(node)?.[side] ?? [])].map(([family, address]) => [family, address.pod]);
    expect([...tallies].map(([node, { count }]) => [node, count])).toEqual([
      ["n1", 3],
      ["n2", 1],
    ]);
    expect(names("lowest", "n1")).toEqual([
      [4, "a/low"],
      [6, "a/middle"],
    ]);
    expect(names("highest", "n1")).toEqual([
      [4, "a/high"],
      [6, "a/low"],
    ]);
    expect(names("lowest", "n2")).toEqual([[4, "a/other"]]);
  });
});

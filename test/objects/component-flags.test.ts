import { describe, expect, test } from "vitest";
import { readComponentFlags } from "../../src/objects/component-flags.js";
import { fixtureReadSet } from "../harness/read-set.js";
import { object } from "./read.js";

const KEY = "/registry/pods/kube-system/any";

function read(
  containers: readonly Record<string, string | readonly string[]>[],
  labels: Record<string, string> = {},
) {
  return readComponentFlags(
    KEY,
    object({ metadata: { name: "some-pod", labels }, spec: { nodeName: "kube-1", containers } }),
  );
}

const flagsOf = (...command: string[]) =>
  Object.fromEntries(read([{ name: "kube-controller-manager", command }])?.flags ?? []);

describe("which Pod is a component", () => {
  test("one with kubeadm's label, or a container of that name", () => {
    expect(read([{ name: "c" }], { component: "kube-controller-manager" })).toEqual({
      component: "kube-controller-manager",
      node: "kube-1",
      key: KEY,
      flags: new Map(),
    });
    expect(read([{ name: "sidecar" }, { name: "kube-apiserver" }])?.component).toBe("kube-apiserver");
    expect(read([{ name: "cloud-controller-manager" }])?.component).toBe("cloud-controller-manager");
  });

  test("not one that is merely called like one", () => {
    const pod = {
      metadata: { name: "kube-controller-manager-metrics-proxy" },
      spec: { containers: [{ name: "proxy" }] },
    };
    expect(readComponentFlags(KEY, object(pod))).toBeUndefined();
    expect(read([{ name: "etcd" }], { component: "etcd" })).toBeUndefined();
  });

  test("of a recorded cluster: those on every control-plane host", () => {
    const components = fixtureReadSet("v1.36-single").components;
    expect(components.map(({ component, node }) => `${component} ${node}`)).toEqual([
      "kube-apiserver kube-1",
      "kube-apiserver kube-2",
      "kube-apiserver kube-3",
      "kube-controller-manager kube-1",
      "kube-controller-manager kube-2",
      "kube-controller-manager kube-3",
    ]);
    expect(components.slice(3).map(({ flags }) => flags.get("cluster-cidr"))).toEqual([
      "10.112.0.0/16",
      "10.112.0.0/16",
      "10.112.0.0/16",
    ]);
  });
});

describe("flags", () => {
  test("as pflag reads them", () => {
    expect(
      flagsOf(
        "kube-controller-manager",
        "--cluster-cidr=10.112.0.0/16",
        "--node-cidr-mask-size",
        "22",
        "--allocate-node-cidrs",
        "--feature-gates=A=true,B=false",
        "-v=2",
        "--empty=",
      ),
    ).toEqual({
      "cluster-cidr": "10.112.0.0/16",
      "node-cidr-mask-size": "22",
      "allocate-node-cidrs": "true",
      "feature-gates": "A=true,B=false",
      v: "2",
      empty: "",
    });
  });

  test("the last one wins, of command and arguments", () => {
    const container = {
      name: "kube-controller-manager",
      command: ["kube-controller-manager", "--cluster-cidr=10.1.0.0/16"],
      args: ["--cluster-cidr=10.2.0.0/16"],
    };
    expect(read([container])?.flags.get("cluster-cidr")).toBe("10.2.0.0/16");
  });

  test("in a shell's command line", () => {
    const line =
      "exec /usr/local/bin/kube-controller-manager --cluster-cidr=100.96.0.0/11  --leader-elect=true 2>&1";
    expect(flagsOf("/bin/sh", "-c", line)).toMatchObject({
      "cluster-cidr": "100.96.0.0/11",
      "leader-elect": "true",
    });
  });
});

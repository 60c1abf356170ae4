import { describe, expect, test } from "vitest";
import { readCalicoBlock, readIpPool, readUsesPodCidr } from "../../src/objects/calico.js";
import { readCiliumConfig, readCiliumNode } from "../../src/objects/cilium.js";
import { readFlannelConfig } from "../../src/objects/flannel.js";
import { readKubeProxyConfig } from "../../src/objects/kube-proxy.js";
import { readKubeadmConfig } from "../../src/objects/kubeadm.js";
import { readLease } from "../../src/objects/lease.js";
import { readRangeAllocation, readServiceCidr } from "../../src/objects/service-range.js";
import { schema } from "../harness/descriptor.js";
import { readFixture } from "../harness/fixture.js";
import { object } from "./read.js";

const data = (entries: Record<string, string>) => object({ data: entries });

function recorded(fixture: string, path: string) {
  const key = `/registry/${path}`;
  const found = readFixture(fixture).find((row) => row.key === key);
  return { key, object: schema.decode(key, found?.value ?? new Uint8Array()) };
}

describe("kubeadm-config", () => {
  const read = (text: string) => readKubeadmConfig("k", data({ ClusterConfiguration: text }));

  test("of a recorded cluster", () => {
    const { key, object: stored } = recorded("v1.36-single", "configmaps/kube-system/kubeadm-config");
    expect(readKubeadmConfig(key, stored)).toMatchObject({
      key,
      podSubnet: "10.112.0.0/16",
      serviceSubnet: "10.96.0.0/16",
    });
  });

  test("extraArgs are a list since v1beta4, a map before; numbers and booleans are text", () => {
    const map =
      "clusterName: shop\nnetworking:\n  podSubnet: 10.1.0.0/16\n  serviceSubnet: 10.96.0.0/16\ncontrollerManager:\n  extraArgs:\n    node-cidr-mask-size: 22\n    x: true\n";
    expect(read(map)).toEqual({
      key: "k",
      clusterName: "shop",
      podSubnet: "10.1.0.0/16",
      serviceSubnet: "10.96.0.0/16",
      controllerManagerArgs: new Map([
        ["node-cidr-mask-size", "22"],
        ["x", "true"],
      ]),
    });
    const list =
      'controllerManager:\n  extraArgs:\n  - name: node-cidr-mask-size\n    value: "22"\n  - name: flag\n';
    expect(read(list)).toEqual({
      key: "k",
      controllerManagerArgs: new Map([
        ["node-cidr-mask-size", "22"],
        ["flag", ""],
      ]),
    });
  });

  test.each(["", "networking: {}\n", "controllerManager: {}\n", "controllerManager:\n  extraArgs:\n"])(
    "%j says nothing",
    (text) => {
      expect(read(text)).toEqual({ key: "k", controllerManagerArgs: new Map() });
    },
  );

  test("a ConfigMap without the entry says nothing, and what is no YAML is an error", () => {
    expect(readKubeadmConfig("k", object({}))).toEqual({ key: "k", controllerManagerArgs: new Map() });
    expect(() => read("a: [")).toThrow();
  });
});

describe("kube-proxy's configuration", () => {
  test("range and mode", () => {
    const text = "clusterCIDR: 10.112.0.0/16,fd00::/48\ndetectLocalMode: NodeCIDR\n";
    expect(readKubeProxyConfig("k", data({ "config.conf": text }))).toEqual({
      key: "k",
      clusterCidr: "10.112.0.0/16,fd00::/48",
      detectLocalMode: "NodeCIDR",
    });
  });

  test("may say neither", () => {
    expect(readKubeProxyConfig("k", data({ "config.conf": "clusterCIDR: null\n" }))).toEqual({ key: "k" });
    expect(readKubeProxyConfig("k", object({}))).toEqual({ key: "k" });
  });
});

describe("flannel's net-conf", () => {
  test("one network a family", () => {
    const text =
      '{"Network": "10.112.0.0/16", "EnableIPv6": true, "IPv6Network": "fd00::/48", "Backend": {"Type": "vxlan"}}';
    expect(readFlannelConfig("k", data({ "net-conf.json": text }))).toEqual({
      key: "k",
      network: "10.112.0.0/16",
      ipv6Network: "fd00::/48",
    });
  });

  test("may say neither, and what is no JSON is an error", () => {
    expect(readFlannelConfig("k", object({}))).toEqual({ key: "k" });
    expect(readFlannelConfig("k", data({ "net-conf.json": "null" }))).toEqual({ key: "k" });
    expect(() => readFlannelConfig("k", data({ "net-conf.json": "{" }))).toThrow();
  });
});

describe("Cilium", () => {
  test("its ipam, and its own default", () => {
    const entries = {
      ipam: "kubernetes",
      "ipv4-native-routing-cidr": "10.0.0.0/8",
      "cluster-pool-ipv6-cidr": "",
    };
    expect(readCiliumConfig("k", data(entries))).toEqual({
      configKey: "k",
      ipam: "kubernetes",
      ranges: new Map([["ipv4-native-routing-cidr", "10.0.0.0/8"]]),
    });
    expect(readCiliumConfig("k", data({}))).toEqual({
      configKey: "k",
      ipam: "cluster-pool",
      ranges: new Map(),
    });
  });

  test("a CiliumNode's blocks", () => {
    const addresses = [
      { type: "InternalIP", ip: "192.0.2.1" },
      { type: "CiliumInternalIP", ip: "10.112.0.37" },
    ];
    const pools = {
      allocated: [{ pool: "default", cidrs: ["10.1.0.0/27", "10.1.0.32/27"] }, { pool: "empty" }],
    };
    const spec = { addresses, ipam: { podCIDRs: ["10.112.0.0/24"], pools } };
    expect(readCiliumNode("k", object({ metadata: { name: "n1" }, spec }))).toEqual({
      key: "k",
      name: "n1",
      podCidrs: ["10.112.0.0/24"],
      poolCidrs: ["10.1.0.0/27", "10.1.0.32/27"],
      internalIps: ["10.112.0.37"],
    });
    expect(readCiliumNode("k", object({}))).toEqual({
      key: "k",
      name: "",
      podCidrs: [],
      poolCidrs: [],
      internalIps: [],
    });
  });
});

describe("Calico", () => {
  test("a pool's range and block size, and a block", () => {
    const pool = object({ spec: { cidr: "192.168.0.0/16", blockSize: 25 } });
    expect(readIpPool("k", pool)).toEqual({ key: "k", cidr: "192.168.0.0/16", blockSize: 25 });
    const block = object({ spec: { cidr: "192.168.3.64/26" } });
    expect(readCalicoBlock("k", block)).toEqual({ key: "k", cidr: "192.168.3.64/26" });
    expect(readIpPool("k", object({}))).toEqual({ key: "k", cidr: "" });
    expect(readCalicoBlock("k", object({}))).toEqual({ key: "k", cidr: "" });
  });

  test("usePodCidr in the CNI template, which is no JSON before it is filled in", () => {
    const template = '{"ipam": {"type": "host-local", "subnet": "usePodCidr"}, "mtu": __CNI_MTU__}';
    expect(readUsesPodCidr(data({ cni_network_config: template }))).toBe(true);
    expect(readUsesPodCidr(data({ cni_network_config: '{"ipam": {"type": "calico-ipam"}}' }))).toBe(false);
    expect(readUsesPodCidr(object({}))).toBe(false);
  });
});

describe("a Lease", () => {
  test("who holds it, and when it was renewed", () => {
    const spec = {
      holderIdentity: "kube-1_a",
      renewTime: "2026-12-01T12:00:00.000000Z",
      leaseDurationSeconds: 30,
    };
    expect(readLease("k", object({ spec }))).toEqual({
      key: "k",
      holder: "kube-1_a",
      renewTime: "2026-12-01T12:00:00.000000Z",
      durationSeconds: 30,
    });
  });

  test("may say nothing", () => {
    expect(readLease("k", object({}))).toEqual({ key: "k", holder: "", renewTime: "", durationSeconds: 15 });
  });

  test("of a recorded cluster", () => {
    const { key, object: stored } = recorded(
      "v1.36-single",
      "leases/kube-system/apiserver-wlv32tlttr4jl3gtroqexyxapa",
    );
    expect(readLease(key, stored)).toMatchObject({
      holder: expect.stringMatching(/^apiserver-/),
      durationSeconds: 3600,
    });
    expect(Date.parse(readLease(key, stored).renewTime)).toBeGreaterThan(0);
  });
});

describe("service ranges", () => {
  test("of ServiceCIDR objects and of the bitmap", () => {
    const cidrs = recorded("v1.36-single", "servicecidrs/kubernetes");
    expect(readServiceCidr(cidrs.key, cidrs.object)).toEqual({
      key: "/registry/servicecidrs/kubernetes",
      name: "kubernetes",
      cidrs: ["10.96.0.0/16"],
    });
    const bitmap = recorded("v1.32-bitmap", "ranges/serviceips");
    const { bits, ...allocation } = readRangeAllocation(bitmap.key, bitmap.object);
    expect(allocation).toEqual({ key: "/registry/ranges/serviceips", range: "10.96.0.0/16" });
    // 10.96.0.1 and 10.96.0.10 are offsets 0 and 9.
    expect([...bits.slice(-2)]).toEqual([2, 1]);
  });

  test("may be none", () => {
    expect(readServiceCidr("k", object({}))).toEqual({ key: "k", name: "", cidrs: [] });
    expect(readRangeAllocation("k", object({}))).toEqual({ key: "k", range: "", bits: Buffer.alloc(0) });
  });
});

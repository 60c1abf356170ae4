import { expect, test } from "vitest";
import { manifestOfPeer } from "../../src/adapters/peer-manifest.js";

const PEERS = `metadata:
  annotations:
    kubeadm.kubernetes.io/etcd.advertise-client-urls: https://10.0.0.1:2379
spec:
  containers:
  - command:
    - etcd
    - --advertise-client-urls=https://10.0.0.1:2379
    - --data-dir=/var/lib/etcd
    - --initial-advertise-peer-urls=https://10.0.0.1:2380
    - --initial-cluster=kube-1=https://10.0.0.1:2380,kube-2=https://10.0.0.11:2380
    - --listen-client-urls=https://127.0.0.1:2379,https://10.0.0.1:2379
    - --listen-metrics-urls=http://127.0.0.1:2381
    - --listen-peer-urls=https://10.0.0.1:2380
    - --name=kube-1
    - --quota-backend-bytes=8589934592
    image: registry.k8s.io/etcd:3.6.5-0
`;

test("the peer's name and addresses are replaced, and the members stay", () => {
  const own = { name: "kube-3", peerUrl: "https://10.0.0.3:2390" };
  expect(manifestOfPeer(PEERS, "etcd.yaml", own)).toBe(`metadata:
  annotations:
    kubeadm.kubernetes.io/etcd.advertise-client-urls: https://10.0.0.3:2379
spec:
  containers:
  - command:
    - etcd
    - --advertise-client-urls=https://10.0.0.3:2379
    - --data-dir=/var/lib/etcd
    - --initial-advertise-peer-urls=https://10.0.0.3:2390
    - --initial-cluster=kube-1=https://10.0.0.1:2380,kube-2=https://10.0.0.11:2380
    - --listen-client-urls=https://127.0.0.1:2379,https://10.0.0.3:2379
    - --listen-metrics-urls=http://127.0.0.1:2381
    - --listen-peer-urls=https://10.0.0.3:2390
    - --name=kube-3
    - --quota-backend-bytes=8589934592
    image: registry.k8s.io/etcd:3.6.5-0
`);
});

test("an IPv6 address is one host", () => {
  const text = PEERS.replaceAll("10.0.0.11", "[fd00::11]").replaceAll("10.0.0.1:", "[fd00::1]:");
  const made = manifestOfPeer(text, "etcd.yaml", { name: "kube-3", peerUrl: "https://[fd00::3]:2380" });
  expect(made).toContain("- --listen-client-urls=https://127.0.0.1:2379,https://[fd00::3]:2379\n");
  expect(made).toContain("kube-1=https://[fd00::1]:2380,kube-2=https://[fd00::11]:2380\n");
});

test("one that does not tell its member is refused", () => {
  const own = { name: "kube-3", peerUrl: "https://10.0.0.3:2380" };
  expect(() => manifestOfPeer("spec: {}", "etcd.yaml", own)).toThrow("does not tell which member");
});

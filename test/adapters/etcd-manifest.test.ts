import { expect, test } from "vitest";
import { editEtcdManifest, readEtcdManifest } from "../../src/adapters/etcd-manifest.js";

const MANIFEST = `apiVersion: v1
kind: Pod
spec:
  containers:
  - command:
    - etcd   # the member
    - --advertise-client-urls=https://10.0.0.3:2379
    - "--cert-file=/pki/server.crt"
    - --data-dir=/var/lib/etcd
    - --initial-advertise-peer-urls=https://10.0.0.3:2380
    - '--initial-cluster=kube-3=https://10.0.0.3:2380,kube-1=https://10.0.0.1:2380'
    - --key-file=/pki/server.key
    - --listen-client-urls=https://127.0.0.1:2379,https://10.0.0.3:2379
    - --name=kube-3  # this host
    - --peer-cert-file=/pki/peer.crt
    - --peer-key-file=/pki/peer.key
    - --peer-trusted-ca-file=/pki/ca.crt
    - --trusted-ca-file=/pki/ca.crt
    - --quota-backend-bytes=8589934592
    image: registry.k8s.io/etcd:3.6.5-0
`;

test("a manifest tells its member", () => {
  expect(readEtcdManifest(MANIFEST, "etcd.yaml")).toEqual({
    name: "kube-3",
    dataDir: "/var/lib/etcd",
    peerUrl: "https://10.0.0.3:2380",
    version: "3.6.5",
    clientUrls: ["https://127.0.0.1:2379", "https://10.0.0.3:2379", "https://10.0.0.3:2379"],
    peerHosts: ["10.0.0.1"],
    certificates: [
      { cert: "/pki/server.crt", key: "/pki/server.key", ca: "/pki/ca.crt" },
      { cert: "/pki/peer.crt", key: "/pki/peer.key", ca: "/pki/ca.crt" },
    ],
    peerCertificate: { cert: "/pki/peer.crt", key: "/pki/peer.key", ca: "/pki/ca.crt" },
  });
});

test.each(["name", "data-dir", "initial-advertise-peer-urls"])("one without --%s is refused", (flag) => {
  const text = MANIFEST.replace(new RegExp(`^.*--${flag}=.*\n`, "m"), "");
  expect(() => readEtcdManifest(text, "etcd.yaml")).toThrow("does not tell which member of etcd it starts");
});

test("flags are edited in place and added behind the name, and all else stays as it is", () => {
  const flags = new Map([
    ["initial-cluster", "kube-1=https://10.0.0.1:2380,kube-3=https://10.0.0.3:2380"],
    ["initial-cluster-state", "existing"],
  ]);
  const edited = editEtcdManifest(MANIFEST, flags);
  expect(edited).toBe(
    MANIFEST.replace(
      "'--initial-cluster=kube-3=https://10.0.0.3:2380,kube-1=https://10.0.0.1:2380'",
      "'--initial-cluster=kube-1=https://10.0.0.1:2380,kube-3=https://10.0.0.3:2380'",
    ).replace(
      "    - --name=kube-3  # this host\n",
      "    - --name=kube-3  # this host\n    - --initial-cluster-state=existing\n",
    ),
  );
  expect(editEtcdManifest(edited, flags)).toBe(edited);
});

test("a file without a line feed at its end, and Windows' line ends, are kept", () => {
  const text = "spec:\r\n  containers:\r\n  - args:\r\n    - --data-dir=/d\r\n    - --name=a";
  expect(
    editEtcdManifest(
      text,
      new Map([
        ["data-dir", "/e"],
        ["x", "1"],
      ]),
    ),
  ).toBe("spec:\r\n  containers:\r\n  - args:\r\n    - --data-dir=/e\r\n    - --name=a\n    - --x=1");
});

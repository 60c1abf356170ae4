import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ConnectionFlags, discoverEtcd } from "../../src/adapters/discovery.js";
import { parseDuration } from "../../src/adapters/discovery-duration.js";
import { failureIn } from "./etcd-failure.js";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "etcdcidr-discovery-"));
});
afterEach(() => rmSync(root, { recursive: true }));

const DEFAULT_TIMEOUTS = { dialTimeoutMs: 2000, commandTimeoutMs: 5000 };

function put(path: string, content: string = path): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

const pem = (path: string) => ({ path: join(root, path), pem: Buffer.from(path) });

test("flags go before the environment, each for itself", () => {
  const [ca, cert, key] = [put("ca"), put("cert"), put("key")];
  const environment = {
    ETCDCTL_ENDPOINTS: "https://10.0.0.9:2379",
    ETCDCTL_CACERT: "/nowhere/ca",
    ETCDCTL_CERT: cert,
    ETCDCTL_KEY: key,
    ETCDCTL_USER: "nobody:x",
    ETCDCTL_DIAL_TIMEOUT: "1m30s",
    ETCDCTL_COMMAND_TIMEOUT: "9s",
  };
  const flags = {
    endpoints: "https://10.0.0.1:2379, https://[fd00::1]:2379/,https://10.0.0.1:2379",
    cacert: ca,
    user: "root:pass:word",
    commandTimeout: "500ms",
  };
  const common = {
    tls: { ca: pem("ca"), cert: pem("cert"), key: pem("key") },
    user: { name: "root", password: "pass:word" },
    dialTimeoutMs: 90_000,
    commandTimeoutMs: 500,
  };
  expect(discoverEtcd(flags, environment, root)).toEqual({
    targets: [
      { endpoint: "https://10.0.0.1:2379", ...common },
      { endpoint: "https://[fd00::1]:2379", ...common },
    ],
    source: "--endpoints",
  });
});

test("the environment alone", () => {
  const environment = {
    ETCDCTL_ENDPOINTS: "10.0.0.9:2379",
    ETCDCTL_USER: "root:x",
    ETCDCTL_PASSWORD: "y",
    ETCDCTL_CACERT: "",
  };
  expect(discoverEtcd({}, environment, root)).toEqual({
    targets: [
      { endpoint: "http://10.0.0.9:2379", user: { name: "root:x", password: "y" }, ...DEFAULT_TIMEOUTS },
    ],
    source: "ETCDCTL_ENDPOINTS",
  });
});

test("etcdhelper's --endpoint; without a scheme it is https where a CA is given", () => {
  const found = discoverEtcd({ endpoint: "etcd-1.example:2379", cacert: put("ca") }, {}, root);
  expect(found.source).toBe("--endpoint");
  expect(found.targets).toEqual([
    { endpoint: "https://etcd-1.example:2379", tls: { ca: pem("ca") }, ...DEFAULT_TIMEOUTS },
  ]);
});

const MANIFEST = `apiVersion: v1
kind: Pod
metadata: {name: kube-apiserver, namespace: kube-system}
spec:
  containers:
  - name: kube-apiserver
    command:
    - kube-apiserver
    - --advertise-address=10.0.0.1
    - --etcd-cafile=/etc/kubernetes/pki/etcd/ca.crt
    - --etcd-certfile=/etc/kubernetes/pki/apiserver-etcd-client.crt
    - --etcd-keyfile=/etc/kubernetes/pki/apiserver-etcd-client.key
    - --etcd-servers=https://127.0.0.1:2379,https://10.0.0.2:2379
    - --etcd-servers-overrides=/events#https://127.0.0.1:2382
    - --etcd-prefix=/kubernetes.io
`;
const KUBEADM = {
  ca: "/etc/kubernetes/pki/etcd/ca.crt",
  cert: "/etc/kubernetes/pki/apiserver-etcd-client.crt",
  key: "/etc/kubernetes/pki/apiserver-etcd-client.key",
};

test("kube-apiserver's manifest", () => {
  put("/etc/kubernetes/manifests/kube-apiserver.yaml", MANIFEST);
  for (const path of Object.values(KUBEADM)) put(path);
  const common = {
    tls: { ca: pem(KUBEADM.ca), cert: pem(KUBEADM.cert), key: pem(KUBEADM.key) },
    ...DEFAULT_TIMEOUTS,
  };
  expect(discoverEtcd({}, {}, root)).toEqual({
    targets: [
      { endpoint: "https://127.0.0.1:2379", ...common },
      { endpoint: "https://10.0.0.2:2379", ...common },
    ],
    source: "--etcd-servers in /etc/kubernetes/manifests/kube-apiserver.yaml",
    prefix: "/kubernetes.io",
  });
});

test("a manifest that starts a shell, and flags apart from their values", () => {
  put(
    "/etc/kubernetes/manifests/kube-apiserver.manifest",
    `spec: {containers: [{command: [/bin/sh, -c, "exec kube-apiserver --etcd-servers='http://127.0.0.1:4001' --v=2"]}]}`,
  );
  expect(discoverEtcd({}, {}, root).targets).toEqual([
    { endpoint: "http://127.0.0.1:4001", ...DEFAULT_TIMEOUTS },
  ]);
  put(
    "/etc/kubernetes/manifests/kube-apiserver.yaml",
    "spec: {containers: [{command: [kube-apiserver], args: [--etcd-servers, 'http://127.0.0.1:2222']}]}",
  );
  expect(discoverEtcd({}, {}, root).targets).toEqual([
    { endpoint: "http://127.0.0.1:2222", ...DEFAULT_TIMEOUTS },
  ]);
});

test("given files go before found ones, the certificate and its key together", () => {
  put("/etc/kubernetes/manifests/kube-apiserver.yaml", MANIFEST);
  for (const path of Object.values(KUBEADM)) put(path);
  const flags = { cert: put("my.crt"), key: put("my.key") };
  expect(discoverEtcd(flags, {}, root).targets[0]?.tls).toEqual({
    ca: pem(KUBEADM.ca),
    cert: pem("my.crt"),
    key: pem("my.key"),
  });
});

test.each<[string, string, string[]]>([
  ["kubeadm", "https://127.0.0.1:2379", Object.values(KUBEADM)],
  [
    "kubeadm",
    "https://127.0.0.1:2379",
    ["ca.crt", "server.crt", "server.key"].map((name) => `/etc/kubernetes/pki/etcd/${name}`),
  ],
  [
    "k3s",
    "https://127.0.0.1:2379",
    ["server-ca.crt", "server-client.crt", "server-client.key"].map(
      (name) => `/var/lib/rancher/k3s/server/tls/etcd/${name}`,
    ),
  ],
  [
    "rke2",
    "https://127.0.0.1:2379",
    ["server-ca.crt", "server-client.crt", "server-client.key"].map(
      (name) => `/var/lib/rancher/rke2/server/tls/etcd/${name}`,
    ),
  ],
  [
    "k0s",
    "https://127.0.0.1:2379",
    ["etcd/ca.crt", "apiserver-etcd-client.crt", "apiserver-etcd-client.key"].map(
      (name) => `/var/lib/k0s/pki/${name}`,
    ),
  ],
  [
    "kubespray",
    "https://127.0.0.1:2379",
    ["ca.pem", "admin-cp-1.pem", "admin-cp-1-key.pem"].map((name) => `/etc/ssl/etcd/ssl/${name}`),
  ],
  [
    "kOps",
    "https://127.0.0.1:4001",
    ["etcd-ca.crt", "etcd-client.crt", "etcd-client.key"].map(
      (name) => `/srv/kubernetes/kube-apiserver/${name}`,
    ),
  ],
  [
    "minikube",
    "https://127.0.0.1:2379",
    ["ca.crt", "server.crt", "server.key"].map((name) => `/var/lib/minikube/certs/etcd/${name}`),
  ],
])("the known paths of %s at %s", (distribution, endpoint, [ca = "", cert = "", key = ""]) => {
  for (const path of [ca, cert, key]) put(path);
  expect(discoverEtcd({}, {}, root)).toEqual({
    targets: [{ endpoint, tls: { ca: pem(ca), cert: pem(cert), key: pem(key) }, ...DEFAULT_TIMEOUTS }],
    source: `known path of ${distribution} (${ca})`,
  });
});

test.each([
  ["k3s (kine)", "/var/lib/rancher/k3s/server/kine.sock"],
  ["k0s (kine)", "/run/k0s/kine/kine.sock:2379"],
  ["microk8s", "/var/snap/microk8s/current/var/kubernetes/backend/kine.sock:12379"],
])("the socket of %s", (distribution, path) => {
  put(path);
  expect(discoverEtcd({}, {}, root)).toEqual({
    targets: [{ endpoint: `unix://${path}`, ...DEFAULT_TIMEOUTS }],
    source: `known path of ${distribution} (unix://${path})`,
  });
});

test("loopback when nothing is found, with TLS when files are given", () => {
  expect(discoverEtcd({}, {}, root)).toEqual({
    targets: [{ endpoint: "http://127.0.0.1:2379", ...DEFAULT_TIMEOUTS }],
    source: "default, nothing else was found",
  });
  put("/etc/kubernetes/pki/etcd/ca.crt");
  expect(discoverEtcd({ cacert: put("ca") }, {}, root).targets).toEqual([
    { endpoint: "https://127.0.0.1:2379", tls: { ca: pem("ca") }, ...DEFAULT_TIMEOUTS },
  ]);
});

test.each<[ConnectionFlags, string, string]>([
  [{ endpoints: "10.0.0.1" }, '--endpoints "10.0.0.1" cannot be used', "it has no port"],
  [
    { endpoints: "ftp://10.0.0.1:1" },
    '--endpoints "ftp://10.0.0.1:1" cannot be used',
    "it is not http://host:port, https://host:port or unix:///path",
  ],
  [
    { endpoint: "http://a:99999" },
    '--endpoint "http://a:99999" cannot be used',
    "it is not http://host:port, https://host:port or unix:///path",
  ],
  [{ endpoints: " , " }, '--endpoints " , " cannot be used', "it names no endpoint"],
  [{ user: "root" }, "--user root cannot be used", "it comes without a password"],
  [{ dialTimeout: "5" }, '--dial-timeout "5" cannot be used', "it is not a duration"],
  [{ commandTimeout: "0s" }, '--command-timeout "0s" cannot be used', "it is not longer than nothing"],
])("%j is a usage error", (flags, what, why) => {
  expect(failureIn(() => discoverEtcd(flags, {}, root))).toMatchObject({
    code: "usage",
    explanation: { what, why, now: "nothing was written" },
  });
});

test("a file that is not there, and a manifest that cannot be read, are named", () => {
  expect(failureIn(() => discoverEtcd({ cacert: "/nowhere/ca.crt" }, {}, root))).toMatchObject({
    code: "tls",
    explanation: {
      what: "/nowhere/ca.crt (--cacert) cannot be read",
      why: "there is no such file",
      now: "nothing was written",
      next: "check --cacert",
    },
  });
  put("/etc/kubernetes/manifests/kube-apiserver.yaml", MANIFEST);
  expect(failureIn(() => discoverEtcd({}, {}, root))).toMatchObject({
    code: "tls",
    explanation: {
      what: `${join(root, KUBEADM.ca)} (--etcd-cafile in /etc/kubernetes/manifests/kube-apiserver.yaml) cannot be read`,
    },
  });
  put("/etc/kubernetes/manifests/kube-apiserver.yaml", "spec: {containers: [");
  expect(failureIn(() => discoverEtcd({}, {}, root))).toMatchObject({
    code: "usage",
    explanation: { what: "/etc/kubernetes/manifests/kube-apiserver.yaml cannot be read as a manifest" },
  });
});

test.each([
  ["5s", 5000],
  ["500ms", 500],
  ["1m30s", 90_000],
  ["1.5s", 1500],
  [".5s", 500],
  ["1h", 3_600_000],
  ["2000us", 2],
  ["2000µs", 2],
  ["3000000ns", 3],
])("the duration %s is %i ms", (text, milliseconds) => {
  expect(parseDuration(text, "--dial-timeout")).toBe(milliseconds);
});

test.each(["", "5", "s", "-1s", "1s ", "1 s", "5sec", "1s500", "1e3s"])("%j is no duration", (text) => {
  expect(failureIn(() => parseDuration(text, "--dial-timeout"))).toMatchObject({
    code: "usage",
    explanation: { why: "it is not a duration", next: "give a number with its unit: 5s, 1m30s, 500ms" },
  });
});

import { expect, test } from "vitest";
import { editEtcdEnvironment, environmentFlags } from "../../src/adapters/etcd-environment.js";

const FILE = `# etcd
ETCD_NAME="kube-3"
ETCD_DATA_DIR=/var/lib/etcd
  ETCD_INITIAL_CLUSTER='kube-3=https://10.0.0.3:2380'  \r
;ETCD_INITIAL_CLUSTER_STATE=new
ETCDCTL_CACERT=/etc/ssl/etcd/ssl/ca.pem
ETCD_LISTEN_PEER_URLS=
`;

test("variables are told by etcd's flags", () => {
  expect([...environmentFlags(FILE)]).toEqual([
    ["name", "kube-3"],
    ["data-dir", "/var/lib/etcd"],
    ["initial-cluster", "kube-3=https://10.0.0.3:2380"],
    ["listen-peer-urls", ""],
  ]);
});

test("the last of two counts", () => {
  expect(environmentFlags("ETCD_NAME=a\nETCD_NAME=b\n").get("name")).toBe("b");
});

test("variables are edited in place and added at the end, and all else stays as it is", () => {
  const flags = new Map([
    ["initial-cluster", "a=$1,b=$&"],
    ["initial-cluster-state", "existing"],
  ]);
  const edited = editEtcdEnvironment(FILE, flags);
  expect(edited).toBe(
    `${FILE.replace("kube-3=https://10.0.0.3:2380", () => "a=$1,b=$&")}ETCD_INITIAL_CLUSTER_STATE=existing\n`,
  );
  expect(editEtcdEnvironment(edited, flags)).toBe(edited);
});

test("a line without its end gets one before another is added, and one that goes on is left alone", () => {
  expect(editEtcdEnvironment("ETCD_NAME=a", new Map([["data-dir", "/d"]]))).toBe(
    "ETCD_NAME=a\nETCD_DATA_DIR=/d\n",
  );
  expect(editEtcdEnvironment("ETCD_NAME=a\\\nb\n", new Map([["name", "c"]]))).toBe(
    "ETCD_NAME=a\\\nb\nETCD_NAME=c\n",
  );
});

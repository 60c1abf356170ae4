import { type Dirent, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Where a distribution keeps its etcd's client files; `*` stands for one host's name. */
export interface KnownPlace {
  readonly distribution: string;
  readonly endpoint: string;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** kube-apiserver manifests that name their etcd. */
export const APISERVER_MANIFESTS: readonly string[] = [
  "/etc/kubernetes/manifests/kube-apiserver.yaml",
  "/etc/kubernetes/manifests/kube-apiserver.manifest",
  "/var/lib/rancher/rke2/agent/pod-manifests/kube-apiserver.yaml",
];

const LOOPBACK = "https://127.0.0.1:2379";

/** In the order in which they are looked for: a client's own certificate before a server's. */
export const KNOWN_PLACES: readonly KnownPlace[] = [
  {
    distribution: "kubeadm",
    endpoint: LOOPBACK,
    ca: "/etc/kubernetes/pki/etcd/ca.crt",
    cert: "/etc/kubernetes/pki/apiserver-etcd-client.crt",
    key: "/etc/kubernetes/pki/apiserver-etcd-client.key",
  },
  {
    distribution: "kubeadm",
    endpoint: LOOPBACK,
    ca: "/etc/kubernetes/pki/etcd/ca.crt",
    cert: "/etc/kubernetes/pki/etcd/server.crt",
    key: "/etc/kubernetes/pki/etcd/server.key",
  },
  rancher("k3s"),
  rancher("rke2"),
  {
    distribution: "k0s",
    endpoint: LOOPBACK,
    ca: "/var/lib/k0s/pki/etcd/ca.crt",
    cert: "/var/lib/k0s/pki/apiserver-etcd-client.crt",
    key: "/var/lib/k0s/pki/apiserver-etcd-client.key",
  },
  {
    distribution: "kubespray",
    endpoint: LOOPBACK,
    ca: "/etc/ssl/etcd/ssl/ca.pem",
    cert: "/etc/ssl/etcd/ssl/admin-*.pem",
    key: "/etc/ssl/etcd/ssl/admin-*-key.pem",
  },
  {
    distribution: "kOps",
    endpoint: "https://127.0.0.1:4001",
    ca: "/srv/kubernetes/kube-apiserver/etcd-ca.crt",
    cert: "/srv/kubernetes/kube-apiserver/etcd-client.crt",
    key: "/srv/kubernetes/kube-apiserver/etcd-client.key",
  },
  {
    distribution: "minikube",
    endpoint: LOOPBACK,
    ca: "/var/lib/minikube/certs/etcd/ca.crt",
    cert: "/var/lib/minikube/certs/etcd/server.crt",
    key: "/var/lib/minikube/certs/etcd/server.key",
  },
  {
    distribution: "Deckhouse",
    endpoint: LOOPBACK,
    ca: "/etc/kubernetes/pki/etcd/ca.crt",
    cert: "/etc/kubernetes/pki/etcd/ca.crt",
    key: "/etc/kubernetes/pki/etcd/ca.key",
  },
  { distribution: "k3s (kine)", endpoint: "unix:///var/lib/rancher/k3s/server/kine.sock" },
  { distribution: "k0s (kine)", endpoint: "unix:///run/k0s/kine/kine.sock:2379" },
  {
    distribution: "microk8s",
    endpoint: "unix:///var/snap/microk8s/current/var/kubernetes/backend/kine.sock:12379",
  },
];

/** The first place of which everything is there under `root`, with `*` filled in. */
export function findKnownPlace(root: string): KnownPlace | undefined {
  return KNOWN_PLACES.map((place) => filledIn(place, root)).find((place) => place !== undefined);
}

function rancher(distribution: "k3s" | "rke2"): KnownPlace {
  const folder = `/var/lib/rancher/${distribution}/server/tls/etcd`;
  return {
    distribution,
    endpoint: LOOPBACK,
    ca: `${folder}/server-ca.crt`,
    cert: `${folder}/server-client.crt`,
    key: `${folder}/server-client.key`,
  };
}

function filledIn(place: KnownPlace, root: string): KnownPlace | undefined {
  const { ca, cert, key, endpoint } = place;
  if (ca === undefined || cert === undefined || key === undefined) {
    return entryLike(root, endpoint.slice("unix://".length)) === undefined ? undefined : place;
  }
  const foundKey = entryLike(root, key);
  const host = foundKey === undefined ? "" : starOf(key, foundKey);
  const filled = { ...place, ca, cert: cert.replace("*", host), key: key.replace("*", host) };
  const all = [filled.ca, filled.cert, filled.key].every((path) => entryLike(root, path) !== undefined);
  return all ? filled : undefined;
}

/** The first entry of a path's folder that the path's last part, with at most one `*`, fits. */
function entryLike(root: string, path: string): string | undefined {
  const [start = "", end] = basename(path).split("*");
  const fits = (name: string) =>
    end === undefined ? name === start : name.startsWith(start) && name.endsWith(end);
  const found = entriesOf(join(root, dirname(path))).find(({ name }) => fits(name));
  return found === undefined ? undefined : join(dirname(path), found.name);
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

function starOf(pattern: string, path: string): string {
  const [start = "", end = ""] = pattern.split("*");
  return path.slice(start.length, path.length - end.length);
}

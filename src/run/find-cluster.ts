import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import { stringAt } from "../objects/fields.js";
import type { ClusterIdentity } from "../plan/plan.js";
import type { Etcd } from "../ports.js";
import type { Schema } from "../schema/schema.js";

export interface FindClusterRequest {
  readonly etcd: Etcd;
  readonly schema: Schema;
  readonly prefix: string;
}

/** The cluster's identity and the revision to read it at. Throws `wrong-etcd` where there is no namespace kube-system. */
export async function findCluster(
  request: FindClusterRequest,
): Promise<{ readonly cluster: ClusterIdentity; readonly revision: bigint }> {
  const { etcd, schema, prefix } = request;
  const key = namespaceKey(prefix);
  const [{ clusterId }, { keyValues, revision }] = await Promise.all([etcd.status(), etcd.range({ key })]);
  const [namespace] = keyValues;
  if (namespace === undefined) throw await noKubernetes(request);
  const { object } = schema.decode(key, namespace.value, ["metadata.uid"]);
  return {
    cluster: { etcdId: clusterId, kubeSystemUid: stringAt(object, "metadata", "uid") ?? "" },
    revision,
  };
}

function namespaceKey(prefix: string): string {
  return `${prefix}/namespaces/kube-system`;
}

// Where other distributions keep their keys: OpenShift sets --etcd-prefix=kubernetes.io.
const KNOWN_PREFIXES = ["/registry", "/kubernetes.io"];

async function noKubernetes({ etcd, prefix }: FindClusterRequest): Promise<EtcdcidrError> {
  const found: string[] = [];
  for (const candidate of KNOWN_PREFIXES) {
    const { keyValues } = await etcd.range({ key: namespaceKey(candidate) });
    if (keyValues.length > 0) found.push(candidate);
  }
  const why = `there is no key ${namespaceKey(prefix)}`;
  const common = {
    what: `${etcd.endpoint} holds no Kubernetes cluster under ${prefix}`,
    now: NOTHING_WRITTEN,
  };
  if (found.length > 0) {
    const next = `give --prefix ${found[0]}`;
    return new EtcdcidrError("wrong-etcd", {
      ...common,
      why: `${why}, but there is one under ${found.join(" and ")}`,
      next,
    });
  }
  const events = await etcd.range({ key: `${prefix}/events/`, rangeEnd: `${prefix}/events0`, limit: 1 });
  const next =
    "give the endpoints of the main etcd (kube-apiserver's --etcd-servers, not --etcd-servers-overrides)";
  if (events.keyValues.length === 0) return new EtcdcidrError("wrong-etcd", { ...common, why, next });
  return new EtcdcidrError("wrong-etcd", {
    ...common,
    why: `${why}: it holds no Kubernetes objects but events`,
    next,
  });
}

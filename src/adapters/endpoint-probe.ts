import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import type { Etcd, EtcdStatus } from "../ports.js";
import { serverCertificate, takesConnections } from "./endpoint-knock.js";
import type { EtcdTarget } from "./etcd.js";
import { explainEtcdError, isTimedOut } from "./etcd-error.js";
import { isKine } from "./etcd-kine.js";

/** An endpoint that told its status and is fit to use. */
export interface Answer {
  readonly etcd: Etcd;
  readonly status: EtcdStatus;
}

/** An endpoint that cannot be used. */
export interface Fault {
  readonly endpoint: string;
  readonly error: EtcdcidrError;
}

export function isFault(each: Answer | Fault): each is Fault {
  return "error" in each;
}

/** Asks an endpoint for its status, within its dial timeout. */
export async function probeEndpoint(etcd: Etcd, target: EtcdTarget): Promise<Answer | Fault> {
  try {
    const status = await etcd.status();
    if (status.isLearner) {
      return unfit(etcd, "it is a learner, which serves no reads and takes no writes", USE_VOTER);
    }
    // kine has no leader either.
    return status.leader === 0n && !isKine(status)
      ? unfit(etcd, "it knows no leader", CHECK_QUORUM)
      : { etcd, status };
  } catch (error) {
    return lookCloser(faultOf(etcd, error), etcd, target);
  }
}

/** Whatever fails here fails before the first write. */
export function faultOf({ endpoint }: Etcd, error: unknown): Fault {
  if (!(error instanceof EtcdcidrError)) {
    throw error;
  }
  const explanation = { ...error.explanation, now: NOTHING_WRITTEN };
  return { endpoint, error: new EtcdcidrError(error.code, explanation, { cause: error.cause }) };
}

export function unfit({ endpoint }: Pick<Etcd, "endpoint">, why: string, next: string): Fault {
  const what = `etcd at ${endpoint} cannot be used`;
  return { endpoint, error: new EtcdcidrError("unreachable", { what, why, now: NOTHING_WRITTEN, next }) };
}

const USE_VOTER = "use the endpoint of a voting member";
const CHECK_QUORUM = "check that a majority of the members runs (etcdctl endpoint status --cluster)";

/** What gRPC's error does not tell: whether anybody is there, and which certificate it is that is refused. */
async function lookCloser(fault: Fault, etcd: Etcd, target: EtcdTarget): Promise<Fault> {
  if (isTimedOut(fault.error)) {
    return silence(etcd, target);
  }
  if (fault.error.code !== "tls") {
    return fault;
  }
  const { cause } = fault.error;
  const certificate = await serverCertificate(target);
  return faultOf(etcd, explainEtcdError(cause, { kind: "status" }, target, Date.now(), certificate));
}

/** gRPC says the same of a host that is down and of a process that is frozen; the latter's kernel still takes connections. */
async function silence(etcd: Etcd, target: EtcdTarget): Promise<Fault> {
  const seconds = `${target.dialTimeoutMs / 1000}s`;
  return (await takesConnections(target))
    ? unfit(
        etcd,
        `it takes connections and gives no answer within ${seconds}: etcd is frozen or overloaded`,
        "check that etcd runs and is well there, or raise --dial-timeout",
      )
    : unfit(
        etcd,
        `no connection within ${seconds}: the host is down, or a firewall drops the packets`,
        "check the endpoint and the host, or raise --dial-timeout",
      );
}

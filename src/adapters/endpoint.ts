import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import type { Etcd, EtcdStatus } from "../ports.js";
import { type EtcdTarget, openEtcd } from "./etcd.js";

/** An endpoint that cannot be used, and why. */
export interface EndpointWarning {
  readonly endpoint: string;
  readonly why: string;
  readonly next: string;
}

export interface ConnectedEtcd {
  readonly etcd: Etcd;
  readonly status: EtcdStatus;
  readonly warnings: readonly EndpointWarning[];
}

/**
 * Asks all endpoints for their status, chooses the first that serves and keeps it: a change must not wander between
 * members. `probeKey` is a key, there or not, that the user may read. Of a single endpoint its own error is thrown;
 * of several one that names each, or `wrong-etcd` when they belong to two clusters.
 */
export async function connectEtcd(
  targets: readonly EtcdTarget[],
  probeKey = "/registry/",
): Promise<ConnectedEtcd> {
  const opened = targets.map((target) => openEtcd(target));
  let kept: Etcd | undefined;
  try {
    const probes = await Promise.all(opened.map(probe));
    refuseTwoClusters(probes);
    const served = await firstServing(probes, probeKey);
    const faults = served.filter(isFault);
    const chosen = served.find((each) => !isFault(each));
    if (chosen === undefined || isFault(chosen)) {
      throw noneUsable(faults);
    }
    kept = chosen.etcd;
    return { ...chosen, warnings: faults.map(warningOf) };
  } finally {
    for (const etcd of opened) {
      if (etcd !== kept) {
        etcd.close();
      }
    }
  }
}

interface Answer {
  readonly etcd: Etcd;
  readonly status: EtcdStatus;
}

interface Fault {
  readonly endpoint: string;
  readonly error: EtcdcidrError;
}

function isFault(each: Answer | Fault): each is Fault {
  return "error" in each;
}

async function probe(etcd: Etcd): Promise<Answer | Fault> {
  try {
    const status = await etcd.status();
    const { isLearner, leader, clusterId } = status;
    if (isLearner) {
      return unfit(etcd, "it is a learner, which serves no reads and takes no writes", USE_VOTER);
    }
    // kine has neither leader nor cluster id.
    return leader === 0n && clusterId !== 0n
      ? unfit(etcd, "it knows no leader", CHECK_QUORUM)
      : { etcd, status };
  } catch (error) {
    return faultOf(etcd, error);
  }
}

const USE_VOTER = "use the endpoint of a voting member";
const CHECK_QUORUM = "check that a majority of the members runs (etcdctl endpoint status --cluster)";

function unfit({ endpoint }: Etcd, why: string, next: string): Fault {
  const what = `etcd at ${endpoint} cannot be used`;
  return { endpoint, error: new EtcdcidrError("unreachable", { what, why, now: NOTHING_WRITTEN, next }) };
}

/** Whatever fails here fails before the first write. */
function faultOf({ endpoint }: Etcd, error: unknown): Fault {
  if (!(error instanceof EtcdcidrError)) {
    throw error;
  }
  const explanation = { ...error.explanation, now: NOTHING_WRITTEN };
  return { endpoint, error: new EtcdcidrError(error.code, explanation, { cause: error.cause }) };
}

/** A status is told by a member that has lost its quorum, too, and without a user: only a read proves the rest. */
async function firstServing(
  probes: readonly (Answer | Fault)[],
  probeKey: string,
): Promise<readonly (Answer | Fault)[]> {
  const served: (Answer | Fault)[] = [];
  for (const each of probes) {
    const again = isFault(each) || served.some((earlier) => !isFault(earlier));
    served.push(again ? each : await read(each, probeKey));
  }
  return served;
}

async function read(answer: Answer, probeKey: string): Promise<Answer | Fault> {
  try {
    await answer.etcd.range({ key: probeKey });
    return answer;
  } catch (error) {
    return faultOf(answer.etcd, error);
  }
}

function refuseTwoClusters(probes: readonly (Answer | Fault)[]): void {
  const ids = probes.flatMap((each) =>
    isFault(each) ? [] : [`${each.etcd.endpoint} has ${each.status.clusterId.toString(16)}`],
  );
  const clusters = new Set(probes.flatMap((each) => (isFault(each) ? [] : [each.status.clusterId])));
  if (clusters.size > 1) {
    throw new EtcdcidrError("wrong-etcd", {
      what: `the endpoints belong to ${clusters.size} etcd clusters`,
      why: `their cluster ids differ: ${ids.join(", ")}`,
      now: NOTHING_WRITTEN,
      next: "give the endpoints of the one cluster that holds the Kubernetes objects",
    });
  }
}

function noneUsable(faults: readonly Fault[]): EtcdcidrError {
  const [first] = faults;
  if (first !== undefined && faults.length === 1) {
    return first.error;
  }
  const codes = new Set(faults.map(({ error }) => error.code));
  return new EtcdcidrError(codes.size === 1 && first !== undefined ? first.error.code : "unreachable", {
    what: `none of the ${faults.length} endpoints of etcd can be used`,
    why: faults.map(({ endpoint, error }) => `${endpoint}: ${error.explanation.why}`).join("; "),
    now: NOTHING_WRITTEN,
    next: first?.error.explanation.next ?? "give an endpoint with --endpoints",
  });
}

function warningOf({ endpoint, error }: Fault): EndpointWarning {
  return { endpoint, why: error.explanation.why, next: error.explanation.next };
}

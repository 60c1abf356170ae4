import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import type { Etcd, EtcdStatus } from "../ports.js";
import type { ListedMember } from "../reconcile/cluster-state.js";
import { peerPortOwner } from "./endpoint-peer-port.js";
import { type Answer, type Fault, faultOf, isFault, probeEndpoint, unfit } from "./endpoint-probe.js";
import { type EtcdTarget, openEtcd } from "./etcd.js";
import { type OnSwitch, withFailover } from "./failover.js";

/** An endpoint that cannot be used, and why. */
export interface EndpointWarning {
  readonly endpoint: string;
  readonly why: string;
  readonly next: string;
}

export interface ConnectedEtcd {
  /** The first endpoint that serves, and the others that can be used to go on with when it no longer does. */
  readonly etcd: Etcd;
  readonly status: EtcdStatus;
  readonly warnings: readonly EndpointWarning[];
}

/**
 * Asks all endpoints for their status, chooses the first that serves and keeps it: a change must not wander between
 * members. `probeKey` is the prefix of all keys with a slash, which the user may read as a key, there or not. Of a
 * single endpoint its own error is thrown; of several one that names each, or `wrong-etcd` when they belong to two
 * clusters.
 */
export async function connectEtcd(
  targets: readonly EtcdTarget[],
  probeKey = "/registry/",
  onSwitch?: OnSwitch,
): Promise<ConnectedEtcd> {
  const opened = targets.map((target) => ({ target, etcd: openEtcd(target) }));
  const used = new Set<Etcd>();
  try {
    const probes = await Promise.all(opened.map(({ target, etcd }) => probeEndpoint(etcd, target)));
    await refuseTwoClusters(probes.filter(isAnswer), probeKey);
    const served = await firstServing(await namePeerPorts(probes), probeKey);
    const faults = served.filter(isFault);
    const [chosen, ...others] = served.filter(isAnswer);
    if (chosen === undefined) {
      throw noneUsable(faults);
    }
    for (const { etcd } of [chosen, ...others]) {
      used.add(etcd);
    }
    return {
      etcd: withFailover([chosen.etcd, ...others.map(({ etcd }) => etcd)], onSwitch),
      status: chosen.status,
      warnings: faults.map(warningOf),
    };
  } finally {
    for (const { etcd } of opened) {
      if (!used.has(etcd)) {
        etcd.close();
      }
    }
  }
}

function isAnswer(each: Answer | Fault): each is Answer {
  return !isFault(each);
}

/** One etcd for events beside the main one is the usual case (kube-apiserver's --etcd-servers-overrides). */
async function refuseTwoClusters(answers: readonly Answer[], prefix: string): Promise<void> {
  const clusters = new Set(answers.map(({ status }) => status.clusterId));
  if (clusters.size < 2) {
    return;
  }
  const all = await Promise.all(
    answers.map(async ({ etcd, status }) => {
      const contents = await contentsOf(etcd, prefix);
      return `${etcd.endpoint} has ${status.clusterId.toString(16)} (${contents})`;
    }),
  );
  throw new EtcdcidrError("wrong-etcd", {
    what: `the endpoints belong to ${clusters.size} etcd clusters`,
    why: `their cluster ids differ: ${all.join(", ")}`,
    now: NOTHING_WRITTEN,
    next: "give the endpoints of the one cluster that holds the Kubernetes objects",
  });
}

async function contentsOf(etcd: Etcd, prefix: string): Promise<string> {
  try {
    const namespace = await etcd.range({ key: `${prefix}namespaces/kube-system` });
    if (namespace.keyValues.length > 0) {
      return "a Kubernetes cluster";
    }
    const events = await etcd.range({ key: `${prefix}events/`, rangeEnd: `${prefix}events0`, limit: 1 });
    return events.keyValues.length > 0
      ? "events alone"
      : `no Kubernetes cluster under ${prefix.slice(0, -1)}`;
  } catch (error) {
    return faultOf(etcd, error).error.explanation.why;
  }
}

/** An answer proves nothing about the port: etcd 3.4 serves its API, without client certificates, on the peer port. */
async function namePeerPorts(probes: readonly (Answer | Fault)[]): Promise<readonly (Answer | Fault)[]> {
  const members = await membersOf(probes.filter(isAnswer));
  return probes.map((each) => {
    const { endpoint } = isFault(each) ? each : each.etcd;
    const owner = peerPortOwner(endpoint, members, isFault(each) ? undefined : each.status.memberId);
    return owner === undefined ? each : peerPort(endpoint, owner);
  });
}

async function membersOf(answers: readonly Answer[]): Promise<readonly ListedMember[]> {
  for (const { etcd } of answers) {
    try {
      return await etcd.members();
    } catch (error) {
      // A user who may not ask can read and write all the same; what else is wrong the next read tells.
      faultOf(etcd, error);
    }
  }
  return [];
}

function peerPort(endpoint: string, { name, clientUrls }: ListedMember): Fault {
  const ports = clientUrls.length > 0 ? ` (${clientUrls.join(", ")})` : "";
  return unfit(
    { endpoint },
    `it is the peer port of member ${name}, which the members keep for each other`,
    `use the client port of that member${ports}`,
  );
}

/** A status is told by a member that has lost its quorum, too, and without a user: only a read proves the rest. */
async function firstServing(
  probes: readonly (Answer | Fault)[],
  probeKey: string,
): Promise<readonly (Answer | Fault)[]> {
  const served: (Answer | Fault)[] = [];
  for (const each of probes) {
    const again = isFault(each) || served.some(isAnswer);
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

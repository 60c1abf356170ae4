import { EtcdcidrError } from "../errors.js";
import type { Etcd } from "../ports.js";
import { isProvablyUnsent } from "./etcd-error.js";

/** Told when another endpoint is kept from now on. `why` is the reason the one before gave no answer. */
export type OnSwitch = (from: string, to: string, why: string) => void;

/**
 * The endpoints of one cluster as one etcd. One is kept; what it does not answer goes to the next, which is then kept.
 * A Txn goes on only when it provably was not sent: one in doubt may be done, and is never sent again here.
 */
export function withFailover(
  members: readonly [Etcd, ...Etcd[]],
  onSwitch: OnSwitch = () => undefined,
): Etcd {
  let kept = members[0];
  const run = async <T>(
    send: (etcd: Etcd) => Promise<T>,
    mayGoOn: (error: unknown) => boolean,
  ): Promise<T> => {
    const failures = new Map<Etcd, EtcdcidrError>();
    for (let etcd: Etcd = kept; ; ) {
      try {
        const answer = await send(etcd);
        keep(etcd, failures);
        return answer;
      } catch (error) {
        if (!(error instanceof EtcdcidrError) || !mayGoOn(error)) {
          throw error;
        }
        failures.set(etcd, error);
        const next = [kept, ...following(members, etcd)].find((each) => !failures.has(each));
        if (next === undefined) {
          throw noneLeft(error, failures);
        }
        etcd = next;
      }
    }
  };
  const keep = (etcd: Etcd, failures: ReadonlyMap<Etcd, EtcdcidrError>): void => {
    // Of many calls that fail at the same time, the first to succeed elsewhere has switched already.
    const failure = failures.get(kept);
    if (failure !== undefined) {
      onSwitch(kept.endpoint, etcd.endpoint, failure.explanation.why);
      kept = etcd;
    }
  };
  return {
    get endpoint() {
      return kept.endpoint;
    },
    status: () => run((etcd) => etcd.status(), isUnreachable),
    range: (request) => run((etcd) => etcd.range(request), isUnreachable),
    txn: (request) => run((etcd) => etcd.txn(request), isProvablyUnsent),
    members: () => run((etcd) => etcd.members(), isUnreachable),
    // Asking twice for these does no harm: a lease granted in vain ends by itself.
    grantLease: (seconds) => run((etcd) => etcd.grantLease(seconds), isUnreachable),
    keepLeaseAlive: (lease) => run((etcd) => etcd.keepLeaseAlive(lease), isUnreachable),
    revokeLease: (lease) => run((etcd) => etcd.revokeLease(lease), isUnreachable),
    watchPut: (prefix, from, onPut) => kept.watchPut(prefix, from, onPut),
    close: () => {
      for (const etcd of members) {
        etcd.close();
      }
    },
  };
}

function isUnreachable(error: unknown): boolean {
  return error instanceof EtcdcidrError && error.code === "unreachable";
}

/** The members after this one, and then from the first again. */
function following(members: readonly Etcd[], etcd: Etcd): readonly Etcd[] {
  const index = members.indexOf(etcd);
  return [...members.slice(index + 1), ...members.slice(0, index)];
}

function noneLeft(last: EtcdcidrError, failures: ReadonlyMap<Etcd, EtcdcidrError>): EtcdcidrError {
  if (failures.size === 1) {
    return last;
  }
  const reasons = [...failures].map(([{ endpoint }, { explanation }]) => `${endpoint}: ${explanation.why}`);
  return new EtcdcidrError(
    last.code,
    { ...last.explanation, why: reasons.join("; ") },
    { cause: last.cause },
  );
}

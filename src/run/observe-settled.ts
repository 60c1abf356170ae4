import type { Clock } from "../ports.js";
import { confirmedList } from "../reconcile/member/find-entry.js";
import { isElecting } from "../reconcile/member/no-quorum.js";
import type { MemberObservation } from "../reconcile/member/observed.js";

/** Within 5 s after a start or a lost connection etcd takes healthy members for lost; an election takes as long. */
export const SETTLING_MS = 12_000;

const BETWEEN_LOOKS_MS = 500;

/** Looks again while enough voters answer and have no leader yet: an election looks like a lost quorum for a moment. */
export async function observeSettled(
  observe: () => Promise<MemberObservation>,
  clock: Clock,
): Promise<MemberObservation> {
  const since = clock.now();
  for (;;) {
    const observed = await observe();
    const isSettled = confirmedList(observed.cluster) !== undefined || !isElecting(observed.cluster);
    if (isSettled || clock.now() - since > SETTLING_MS) return observed;
    await clock.sleep(BETWEEN_LOOKS_MS);
  }
}

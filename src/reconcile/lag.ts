import type { EndpointAnswer } from "./cluster-state.js";

/** More entries than this behind the others is not healthy. */
export const MAX_LAG = 1000n;

/** Entries behind the highest applied index seen, of the best poll; undefined for who never answered. */
export function lagOf(answer: EndpointAnswer, all: readonly EndpointAnswer[]): bigint | undefined {
  const { clusterId } = answer.polls.find((status) => status !== undefined) ?? {};
  const lags = answer.polls.flatMap((status, poll) => {
    if (status === undefined) return [];
    const indexes = all
      .flatMap(({ polls }) => polls[poll] ?? [])
      .filter((each) => each.clusterId === clusterId)
      .map(({ appliedIndex }) => appliedIndex);
    const [highest = 0n] = indexes.sort((left, right) => (left > right ? -1 : 1));
    return [highest - status.appliedIndex];
  });
  return lags.sort((left, right) => (left < right ? -1 : 1))[0];
}

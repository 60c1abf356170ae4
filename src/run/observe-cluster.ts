import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import type { Clock, EtcdMembers } from "../ports.js";
import {
  type ClusterObservation,
  type EndpointAnswer,
  type MemberList,
  statusOf,
} from "../reconcile/cluster-state.js";
import { lagOf, MAX_LAG } from "../reconcile/lag.js";

export interface ObserveRequest {
  /** The endpoints that the operator named. */
  readonly endpoints: readonly string[];
  readonly open: (endpoint: string) => EtcdMembers;
  readonly clock: Clock;
  /** How often everybody is asked at least; 1. */
  readonly polls?: number;
}

const POLLS = 3;
const BETWEEN_POLLS_MS = 500;

/**
 * Asks every given endpoint and every listed member for its status, its member list and the alarms; who lags behind is asked
 * up to three times. Throws the endpoints' own error when nobody tells a list.
 */
export async function observeCluster({
  endpoints,
  open,
  clock,
  polls = 1,
}: ObserveRequest): Promise<ClusterObservation> {
  const opened = new Map<string, EtcdMembers>();
  const openOnce = (endpoint: string): EtcdMembers => {
    const etcd = opened.get(endpoint) ?? open(endpoint);
    opened.set(endpoint, etcd);
    return etcd;
  };
  try {
    const given = await Promise.all([...new Set(endpoints)].map((each) => ask(openOnce(each), true)));
    const answers = await askListed(given, openOnce);
    if (answers.some(({ list }) => list?.clusterId === 0n)) throw kine();
    if (answers.every(({ list }) => list === undefined)) throw nobodyTells(answers);
    const alarms = await readAlarms(answers, openOnce);
    return { endpoints: (await pollAgain(answers, openOnce, clock, polls)).map(withoutError), alarms };
  } finally {
    for (const etcd of opened.values()) etcd.close();
  }
}

interface Asked extends EndpointAnswer {
  readonly error?: EtcdcidrError;
}

async function ask(etcd: EtcdMembers, given: boolean): Promise<Asked> {
  const about = { endpoint: etcd.endpoint, given };
  const status = await etcd.status().catch(explained);
  if (status instanceof EtcdcidrError)
    return { ...about, polls: [undefined], fault: status.explanation.why, error: status };
  // A learner tells no list.
  if (status.isLearner) return { ...about, polls: [status] };
  const list = await etcd.list("linearizable").catch(explained);
  if (!(list instanceof EtcdcidrError)) return { ...about, polls: [status], list };
  const local = await etcd.list("local").catch(explained);
  const listFault = list.explanation.why;
  return local instanceof EtcdcidrError
    ? { ...about, polls: [status], listFault, error: list }
    : { ...about, polls: [status], listFault, list: local };
}

/** An error to judge; what is not explained is a bug. */
function explained(error: unknown): EtcdcidrError {
  if (error instanceof EtcdcidrError) return error;
  throw error;
}

/** Until every list's every member has been asked where it advertises its client port. */
async function askListed(
  given: readonly Asked[],
  open: (endpoint: string) => EtcdMembers,
): Promise<readonly Asked[]> {
  const members = given.flatMap(({ list }) => list?.members ?? []);
  const byId = new Map(members.map((member) => [member.id, member]));
  for (const answer of given) byId.delete(statusOf(answer)?.memberId ?? 0n);
  const urls = [...byId.values()].map(({ clientUrls }) => clientUrls.filter((url) => !isAsked(url, given)));
  const more = await Promise.all(urls.map((each) => askOneOf(each, open)));
  return [...given, ...more.flat()];
}

function isAsked(url: string, given: readonly Asked[]): boolean {
  return given.some(({ endpoint }) => endpoint === url);
}

/** Another of a member's URLs is tried only when one does not answer. */
async function askOneOf(
  urls: readonly string[],
  open: (endpoint: string) => EtcdMembers,
): Promise<readonly Asked[]> {
  let last: Asked | undefined;
  for (const url of urls) {
    last = await ask(open(url), false);
    if (statusOf(last) !== undefined) break;
  }
  return last === undefined ? [] : [last];
}

/** Without a quorum the call would only hang. */
async function readAlarms(
  answers: readonly Asked[],
  open: (endpoint: string) => EtcdMembers,
): Promise<ClusterObservation["alarms"]> {
  const isQuorum = (list: MemberList | undefined): boolean => list?.read === "linearizable";
  const teller = answers.find(({ list }) => isQuorum(list));
  if (teller === undefined) return undefined;
  const alarms = await open(teller.endpoint).alarms().catch(explained);
  return alarms instanceof EtcdcidrError ? undefined : alarms;
}

async function pollAgain(
  asked: readonly Asked[],
  open: (endpoint: string) => EtcdMembers,
  clock: Clock,
  least: number,
): Promise<readonly Asked[]> {
  let answers = asked;
  for (let polls = 1; polls < POLLS; polls++) {
    const reached = answers;
    if (polls >= least && reached.every((answer) => (lagOf(answer, reached) ?? 0n) <= MAX_LAG)) break;
    await clock.sleep(BETWEEN_POLLS_MS);
    answers = await Promise.all(
      reached.map(async (answer) => {
        if (statusOf(answer) === undefined) return answer;
        const status = await open(answer.endpoint).status().catch(explained);
        return { ...answer, polls: [...answer.polls, status instanceof EtcdcidrError ? undefined : status] };
      }),
    );
  }
  return answers;
}

function withoutError({ error: _error, ...answer }: Asked): EndpointAnswer {
  return answer;
}

function nobodyTells(answers: readonly Asked[]): EtcdcidrError {
  const errors = answers.flatMap(({ endpoint, error }) => (error === undefined ? [] : [{ endpoint, error }]));
  const [first] = errors;
  if (first === undefined) return onlyLearners(answers);
  if (errors.length === 1) return first.error;
  return new EtcdcidrError(first.error.code, {
    what: `none of the ${answers.length} endpoints of etcd tells its members`,
    why: errors.map(({ endpoint, error }) => `${endpoint}: ${error.explanation.why}`).join("; "),
    now: NOTHING_WRITTEN,
    next: first.error.explanation.next,
  });
}

function onlyLearners(answers: readonly Asked[]): EtcdcidrError {
  return new EtcdcidrError("unreachable", {
    what: `${answers.map(({ endpoint }) => endpoint).join(", ")} cannot tell the members`,
    why: "a learner tells only its own status",
    now: NOTHING_WRITTEN,
    next: "give the endpoint of a voting member with --endpoints",
  });
}

/** kine has no cluster, so its id is 0; an etcd's never is. */
function kine(): EtcdcidrError {
  return new EtcdcidrError("wrong-etcd", {
    what: "there are no members to show",
    why: "it is kine, which keeps the keys in another database",
    now: NOTHING_WRITTEN,
    next: "look after that database's own health",
  });
}

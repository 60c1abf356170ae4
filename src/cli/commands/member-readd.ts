import { SYSTEM_CLOCK } from "../../adapters/clock.js";
import { parseDuration } from "../../adapters/discovery-duration.js";
import { EtcdcidrError, NOTHING_WRITTEN } from "../../errors.js";
import { formatId, statusOf } from "../../reconcile/cluster-state.js";
import { judgeMembers } from "../../reconcile/judge-members.js";
import type { MemberDecision } from "../../reconcile/member/decision.js";
import { type ForeseenDecision, foresee } from "../../reconcile/member/foresee.js";
import type { MemberObservation } from "../../reconcile/member/observed.js";
import { versionNotices } from "../../reconcile/member/version-notices.js";
import { observeSettled } from "../../run/observe-settled.js";
import { confirmCount } from "../confirm.js";
import { escapeText } from "../escape-text.js";
import { findMemberHost } from "../find-member-host.js";
import type { GlobalOptions } from "../global-options.js";
import type { Io } from "../io.js";
import { foreseeStart } from "../joining-start.js";
import { type MemberHost, observeMember } from "../member-host.js";
import { renderData } from "../render-data.js";
import { renderMembers } from "../render-members.js";
import { renderStart, renderWay } from "../render-readd.js";
import { runReadd } from "../run-readd.js";

export interface MemberReaddOptions {
  readonly name?: string;
  readonly peerUrl?: string;
  readonly dataDir?: string;
  readonly walDir?: string;
  readonly manifest?: string;
  readonly manifestFrom?: string;
  readonly unit?: string;
  readonly promoteTimeout?: string;
  readonly printEnv: boolean;
  readonly dryRun: boolean;
  /** False for `--no-snapshot`; true is a file in the journals' directory. */
  readonly snapshot: string | boolean;
}

const PROMOTE_TIMEOUT_MS = 600_000;

/** Brings a lost member of etcd back, one observed step after the other. */
export async function memberReadd(options: MemberReaddOptions & GlobalOptions, io: Io): Promise<number> {
  const { promoteTimeout, printEnv, dryRun } = options;
  const patienceMs =
    promoteTimeout === undefined ? PROMOTE_TIMEOUT_MS : parseDuration(promoteTimeout, "--promote-timeout");
  if (printEnv && options.output !== "text") throw twoKindsOfData();
  const { host, targets } = await findMemberHost(options);
  const observed = await observeSettled(() => observeMember(host), SYSTEM_CLOCK);
  const way = foresee(observed, host.wanted, options.accept);
  await show({ observed, way, host, options }, io);
  const last = way.at(-1);
  const [first] = way;
  const versions = observed.cluster.endpoints.flatMap((answer) => statusOf(answer)?.version ?? []);
  for (const notice of versionNotices(versions)) io.err(`warning: ${notice}\n`);
  if (last?.next.kind === "refuse") throw last.next.error;
  if (first?.next.kind === "done") {
    io.err(`nothing to do: ${escapeText(host.wanted.name)} is a voter and runs\n`);
    return 0;
  }
  if (dryRun) return 0;
  await confirmWay(way, observed, host, options, io);
  return runReadd({ host, targets, way, options, patienceMs }, io);
}

interface Shown {
  readonly observed: MemberObservation;
  readonly way: readonly ForeseenDecision[];
  readonly host: MemberHost;
  readonly options: MemberReaddOptions & GlobalOptions;
}

/** What a dry run tells is its data; of a run the data are the four lines. */
async function show({ observed, way, host, options }: Shown, io: Io): Promise<void> {
  const [first] = way;
  const canJudge = observed.cluster.endpoints.some(({ list }) => list !== undefined);
  const table = canJudge ? renderMembers(judgeMembers(observed.cluster)) : "";
  const start = await foreseeStart(way, host);
  if (options.output === "text") {
    const text = `${table}\n${renderWay(way, host.wanted)}${renderStart(start)}`;
    if (options.dryRun) io.out(text);
    else io.err(text);
    return;
  }
  if (!options.dryRun) return;
  const steps = way.flatMap(({ state, next }) => (next.kind === "step" ? [{ state, ...next.step }] : []));
  const refusals = way.flatMap((decision) => decision.refusals);
  io.out(await renderData({ state: first?.state, steps, start, refusals }, options.output));
}

/** A run that only has to wait changes nothing, and nobody need be asked. */
async function confirmWay(
  way: readonly MemberDecision[],
  { cluster }: MemberObservation,
  { wanted }: MemberHost,
  { yes }: GlobalOptions,
  io: Io,
): Promise<void> {
  const steps = way.filter(({ next }) => next.kind === "step").length;
  if (steps === 0) return;
  const list = cluster.endpoints.flatMap((answer) => answer.list ?? [])[0];
  const name = escapeText(wanted.name);
  const question = `Bring ${name} back into etcd cluster ${formatId(list?.clusterId ?? 0n)} in ${steps} step${steps === 1 ? "" : "s"}`;
  await confirmCount({ question, count: steps, yes, now: NOTHING_WRITTEN }, io);
}

function twoKindsOfData(): EtcdcidrError {
  return new EtcdcidrError("usage", {
    what: "--print-env and -o exclude each other",
    why: "stdout would carry the four lines and a document",
    now: NOTHING_WRITTEN,
    next: "leave one of them out",
  });
}

import { formatCidr } from "../../cidr/format.js";
import { parseCidrList } from "../../cidr/parse.js";
import { type Verdict, verifyCluster } from "../../plan/verify/verify-cluster.js";
import { textOf, type WantedRanges } from "../../plan/verify/wanted-ranges.js";
import { gatherVerify } from "../../run/gather-verify.js";
import type { GlobalOptions } from "../global-options.js";
import type { Io } from "../io.js";
import { renderData } from "../render-data.js";
import { renderVerdict } from "../render-verdict.js";
import { openSession } from "../session.js";

export interface VerifyOptions {
  readonly podCidr?: string;
  readonly serviceCidr?: string;
}

export const CANNOT_TELL = "cannot-tell";

/** Checks without any change; exit code 0 only if every check is ok, else 6. */
export async function verify(options: VerifyOptions & GlobalOptions, io: Io): Promise<number> {
  const intent = { podCidrs: rangesOf(options.podCidr), serviceCidrs: rangesOf(options.serviceCidr) };
  const session = await openSession(options, io);
  try {
    const facts = await gatherVerify(session);
    const verdict = verifyCluster(intent, facts);
    const { output } = options;
    if (output === "text") io.out(renderVerdict(verdict, io));
    else io.out(await renderData(dataOf(verdict, facts.readSet.revision), output));
    return isGood(verdict, options.accept) ? 0 : 6;
  } finally {
    session.close();
  }
}

function rangesOf(text: string | undefined): readonly string[] {
  return text === undefined ? [] : parseCidrList(text).map(formatCidr);
}

function isGood({ checks }: Verdict, accept: readonly string[]): boolean {
  const accepted = accept.includes(CANNOT_TELL) ? ["ok", "cannot tell"] : ["ok"];
  return checks.every(({ result }) => accepted.includes(result));
}

function dataOf({ pods, services, checks, notes }: Verdict, revision: bigint): unknown {
  return {
    revision,
    ...(pods === undefined ? {} : { podCidr: ranges(pods) }),
    ...(services === undefined ? {} : { serviceCidr: ranges(services) }),
    checks,
    notes,
  };
}

function ranges(wanted: WantedRanges): { readonly cidrs: string; readonly source: string } {
  return { cidrs: textOf(wanted), source: wanted.source };
}

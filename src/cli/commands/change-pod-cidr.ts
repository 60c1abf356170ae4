import { refuseExisting } from "../../adapters/snapshot-save.js";
import { openSpool } from "../../adapters/spool-file.js";
import { writePrivateFile } from "../../adapters/text-file.js";
import { formatCidr } from "../../cidr/format.js";
import { parseCidr, parseCidrList } from "../../cidr/parse.js";
import { planChangePodCidr } from "../../plan/change-pod-cidr.js";
import type { ChangePodCidrIntent } from "../../plan/intent.js";
import { formatPlanFile } from "../../plan/plan-file.js";
import { checkMaskFlags } from "../../plan/pod-cidr/check-mask-flags.js";
import { gather } from "../../run/gather.js";
import { readHistory } from "../../run/history.js";
import { executePlan } from "../execute-plan.js";
import type { GlobalOptions } from "../global-options.js";
import type { Io } from "../io.js";
import { refuseUnfinished, waitForOtherRun } from "../refuse-unfinished.js";
import { journalStore, openSession } from "../session.js";

export interface ChangePodCidrOptions {
  readonly nodeCidrMaskSize?: number;
  readonly nodeCidrMaskSizeIpv4?: number;
  readonly nodeCidrMaskSizeIpv6?: number;
  readonly mapping: "index" | "compact";
  readonly reserved: readonly string[];
  readonly node: readonly string[];
  readonly assignMissing: boolean;
  readonly addFamily: boolean;
  readonly oneTransaction: boolean;
  readonly dryRun: boolean;
  readonly out?: string;
  readonly snapshot?: string;
}

export async function changePodCidr(
  cidrs: string,
  options: ChangePodCidrOptions & GlobalOptions,
  io: Io,
): Promise<number> {
  const asked = readIntent(cidrs, options);
  const { snapshot } = options;
  if (snapshot !== undefined) await refuseExisting(snapshot);
  const session = await openSession(options, io);
  const spool = options.dryRun ? undefined : await openSpool();
  try {
    const store = journalStore(options);
    if (!options.dryRun) {
      await waitForOtherRun(session, io);
      await refuseUnfinished(session, await readHistory(store), []);
    }
    const intent: ChangePodCidrIntent = { ...asked, prefix: session.prefix };
    const readSet = await gather({ ...session, ...(spool === undefined ? {} : { spool }) });
    const plan = planChangePodCidr(intent, readSet);
    if (options.out !== undefined) await writePrivateFile(options.out, formatPlanFile(plan));
    const { dryRun } = options;
    return await executePlan(
      {
        ...{ session, options, plan, readSet, store, dryRun },
        ...(spool === undefined ? {} : { spool }),
        ...(snapshot === undefined ? {} : { snapshot }),
      },
      io,
    );
  } finally {
    await spool?.close();
    session.close();
  }
}

/** Everything that can be wrong with the flags alone is found before etcd is asked. */
function readIntent(
  cidrs: string,
  options: ChangePodCidrOptions & GlobalOptions,
): Omit<ChangePodCidrIntent, "prefix"> {
  const targets = parseCidrList(cidrs);
  const intent = {
    operation: "change-pod-cidr" as const,
    nowMs: Date.now(),
    clusterCidrs: targets.map(formatCidr),
    accept: options.accept,
    mapping: options.mapping,
    reserved: options.reserved.map((text) => formatCidr(parseCidr(text))),
    nodes: options.node,
    assignMissing: options.assignMissing,
    addFamily: options.addFamily,
    oneTransaction: options.oneTransaction,
    ...(options.nodeCidrMaskSize === undefined ? {} : { nodeMaskSize: options.nodeCidrMaskSize }),
    ...(options.nodeCidrMaskSizeIpv4 === undefined ? {} : { nodeMaskSizeIpv4: options.nodeCidrMaskSizeIpv4 }),
    ...(options.nodeCidrMaskSizeIpv6 === undefined ? {} : { nodeMaskSizeIpv6: options.nodeCidrMaskSizeIpv6 }),
  };
  checkMaskFlags(intent, targets);
  return intent;
}

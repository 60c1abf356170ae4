import { SYSTEM_CLOCK } from "../../adapters/clock.js";
import { EtcdcidrError, NOTHING_WRITTEN } from "../../errors.js";
import { formatId } from "../../reconcile/cluster-state.js";
import { judgeMembers, type MemberRow, type MembersReport } from "../../reconcile/judge-members.js";
import { observeCluster } from "../../run/observe-cluster.js";
import type { GlobalOptions } from "../global-options.js";
import type { Io } from "../io.js";
import { renderData } from "../render-data.js";
import { renderMembers } from "../render-members.js";

/** Shows all members and given endpoints. Throws `not-verified` when the cluster is not healthy. */
export async function showMembers(options: GlobalOptions, io: Io): Promise<number> {
  const { discoverEtcd } = await import("../../adapters/discovery.js");
  const { openEtcdMembers } = await import("../../adapters/etcd-members.js");
  const { targets } = discoverEtcd(options, process.env);
  const [common] = targets;
  if (common === undefined) throw new Error("no endpoint was found");
  const observation = await observeCluster({
    endpoints: targets.map(({ endpoint }) => endpoint),
    open: (endpoint) => openEtcdMembers({ ...common, endpoint }),
    clock: SYSTEM_CLOCK,
  });
  const report = judgeMembers(observation);
  const { output } = options;
  io.out(output === "text" ? renderMembers(report) : await renderData(membersData(report), output));
  if (!report.healthy) throw notHealthy(report);
  return 0;
}

function membersData({ clusterId, healthy, quorum, rows, faults }: MembersReport): object {
  return { clusterId, healthy, quorum, members: rows.map(rowData), faults };
}

function rowData({ id, status, ...row }: MemberRow): object {
  return {
    ...(id === undefined ? {} : { id, idHex: formatId(id) }),
    ...row,
    ...(status === undefined ? { reachable: false } : { reachable: true, status }),
  };
}

function notHealthy({ faults }: MembersReport): EtcdcidrError {
  return new EtcdcidrError("not-verified", {
    what: "this etcd cluster is not healthy",
    why: faults.map(({ what }) => what).join("; "),
    now: NOTHING_WRITTEN,
    next: [...new Set(faults.map(({ next }) => next))].join("; "),
  });
}

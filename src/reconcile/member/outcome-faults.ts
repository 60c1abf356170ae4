import { statusIn, viewCluster } from "./cluster-view.js";
import { compareMinor } from "./compare-minor.js";
import { confirmedList, findEntry } from "./find-entry.js";
import type { MemberObservation, WantedMember } from "./observed.js";

/** What is not as it was meant once the member votes; its version is known only then where the operator starts it. */
export function outcomeFaults({ cluster }: MemberObservation, wanted: WantedMember): readonly string[] {
  const list = confirmedList(cluster);
  if (list === undefined) return ["no quorum confirms the member list"];
  const { entry } = findEntry(wanted, list.members);
  if (entry === undefined) return ["it is no longer listed"];
  const view = viewCluster(cluster, list);
  const version = statusIn(view, entry.id)?.version ?? "";
  const newer = list.members
    .flatMap(({ id }) => statusIn(view, id)?.version ?? [])
    .filter((each) => compareMinor(version, each) < 0);
  return [
    ...(entry.name === wanted.name ? [] : [`it calls itself ${entry.name}, not ${wanted.name}`]),
    ...(newer[0] === undefined ? [] : [`it runs etcd ${version}, and others ${newer[0]}`]),
  ];
}

import { formatId, type MemberList } from "../cluster-state.js";
import type { DataDirectory } from "./observed.js";
import type { MemberRefusal } from "./refusal.js";

/** Data that are not this cluster's may be the only copy of another's. */
export function dataRefusals(data: DataDirectory, { clusterId }: MemberList): readonly MemberRefusal[] {
  if (data.kind === "empty") return [];
  if (data.kind === "odd") {
    return [
      {
        code: data.oddity === "no-wal" ? "odd-data" : "data-unreadable",
        what: data.why,
        next: NEXT_BY_ODDITY[data.oddity],
      },
    ];
  }
  if (data.clusterId === clusterId) return [];
  return [
    {
      code: "foreign-data",
      what: `the data directory holds data of cluster ${formatId(data.clusterId)}, not of ${formatId(clusterId)}`,
      next: "make sure that nobody needs them; accepted, they are moved aside and not deleted",
    },
  ];
}

const NEXT_BY_ODDITY = {
  "no-wal": "look at what is there; accepted, it is moved aside and not deleted",
  symlink: "give the directory itself with --data-dir",
  unreadable: "run as root, and look at the directory",
} as const;

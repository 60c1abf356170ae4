import { formatId } from "../reconcile/cluster-state.js";
import type { MemberRow, MembersReport } from "../reconcile/judge-members.js";
import type { Quorum } from "../reconcile/quorum.js";
import { escapeText } from "./escape-text.js";
import { renderTable } from "./render-table.js";

/** The table, the quorum line, and what is wrong. */
export function renderMembers({ clusterId, rows, quorum, faults }: MembersReport): string {
  const silent = rows.filter(({ role, unreachable }) => role === "not listed" && unreachable !== undefined);
  const lines = [
    `cluster  ${formatId(clusterId)}`,
    `quorum   ${renderQuorum(quorum)}`,
    "",
    ...renderTable(HEAD, rows.map(cells)),
    ...(faults.length + silent.length > 0 ? [""] : []),
    ...faults.map(({ code, what }) => `${code}: ${escapeText(what)}`),
    ...silent.map(
      ({ endpoint = "", unreachable = "" }) =>
        `note: ${escapeText(`${endpoint} does not answer: ${unreachable}`)}`,
    ),
  ];
  return `${lines.join("\n")}\n`;
}

export function renderQuorum({ voters, live, needed, spare }: Quorum): string {
  const counts = `${voters} voter${voters === 1 ? "" : "s"}, ${live} live, ${needed} needed`;
  if (spare < 0) return `${counts}: the quorum is lost, ${-spare} must come back`;
  return `${counts}: ${spare === 0 ? "none" : spare} more may fail`;
}

const HEAD: readonly string[] = [
  ...["ID", "NAME", "ROLE", "LEADER", "PEER URLS", "CLIENT URLS", "ANSWERS", "VERSION"],
  ...["TERM", "APPLIED", "LAG", "DB SIZE", "QUOTA", "ALARMS", "ERRORS"],
];

function cells(row: MemberRow): readonly string[] {
  const { id, name, role, isLeader, peerUrls, clientUrls, endpoint, status, lag, alarms } = row;
  return [
    id === undefined ? "" : formatId(id),
    name === "" && role !== "not listed" ? "(never started)" : name,
    role,
    isLeader ? "yes" : "",
    peerUrls.join(","),
    clientUrls.length > 0 ? clientUrls.join(",") : (endpoint ?? ""),
    status === undefined ? "no" : "yes",
    status?.version ?? "",
    text(status?.raftTerm),
    text(status?.appliedIndex),
    text(lag),
    size(status?.dbSize),
    size(status?.dbSizeQuota),
    alarms.join(","),
    (status?.errors ?? []).map((error) => error.trim()).join(", "),
  ];
}

function text(number: bigint | undefined): string {
  return number === undefined ? "" : String(number);
}

function size(bytes: bigint | undefined): string {
  return bytes === undefined ? "" : formatBytes(bytes);
}

const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** In powers of 1000 with two digits, as etcdctl prints sizes. */
export function formatBytes(bytes: bigint): string {
  const power = Math.min(Math.floor((String(bytes).length - 1) / 3), UNITS.length - 1);
  const value = Number(bytes) / 1000 ** power;
  return `${power === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`;
}

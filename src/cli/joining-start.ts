import { confirmedList, findEntry } from "../reconcile/member/find-entry.js";
import type { ForeseenDecision } from "../reconcile/member/foresee.js";
import { environmentLines } from "../reconcile/member/initial-cluster.js";
import type { MemberHost } from "./member-host.js";
import { renderConfiguration } from "./supervisor.js";

/** What etcd is to be started with to join: the four lines for the operator, or the file that it is started by. */
export type JoiningStart =
  | { readonly environment: readonly string[] }
  /** Without `before` there is no file yet. */
  | { readonly path: string; readonly before?: string; readonly after: string };

/** As it is foreseen; undefined where it joins nothing. */
export async function foreseeStart(
  way: readonly ForeseenDecision[],
  { wanted, supervisor }: MemberHost,
): Promise<JoiningStart | undefined> {
  const joining = way.find(({ state, next }) => state === "S4" && next.kind !== "refuse");
  const list = joining === undefined ? undefined : confirmedList(joining.observed.cluster);
  const entry = list === undefined ? undefined : findEntry(wanted, list.members).entry;
  if (joining === undefined || list === undefined || entry === undefined) return undefined;
  if (supervisor === undefined) return { environment: environmentLines(list.members, entry, wanted) };
  const text = await supervisor.read();
  const after = renderConfiguration(supervisor, text, joining.observed, wanted);
  const before = (await supervisor.exists()) ? { before: text } : {};
  return { path: supervisor.path, ...before, after };
}

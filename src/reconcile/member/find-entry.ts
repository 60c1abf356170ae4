import { type ClusterObservation, formatId, type ListedMember, type MemberList } from "../cluster-state.js";
import type { WantedMember } from "./observed.js";
import type { MemberRefusal } from "./refusal.js";

/** Our line of the member list, if there is one, and what is wrong with it. */
export interface FoundEntry {
  readonly entry: ListedMember | undefined;
  readonly refusals: readonly MemberRefusal[];
}

/**
 * The list that the quorum confirms; undefined where none answers. It is of the cluster that the operator's endpoints belong to:
 * at a listed address a cluster of its own may answer.
 */
export function confirmedList({ endpoints }: ClusterObservation): MemberList | undefined {
  const lists = endpoints.flatMap(({ list }) => list ?? []);
  const clusters = endpoints.flatMap(({ given, list }) =>
    given && list !== undefined ? [list.clusterId] : [],
  );
  return lists.find(({ read, clusterId }) => read === "linearizable" && clusters.includes(clusterId));
}

/** A member is known by its peer URL; a name alone may be another's. */
export function findEntry({ name, peerUrl }: WantedMember, members: readonly ListedMember[]): FoundEntry {
  const byUrl = members.filter(({ peerUrls }) =>
    peerUrls.some((url) => normalUrl(url) === normalUrl(peerUrl)),
  );
  const byName = members.filter((member) => member.name === name);
  const [entry, second] = byUrl;
  if (second !== undefined) return { entry, refusals: [twoEntries(byUrl)] };
  const [namesake] = byName.filter((member) => member !== entry);
  if (namesake === undefined) return { entry, refusals: [] };
  return entry === undefined
    ? { entry: namesake, refusals: [urlDiffers(namesake, peerUrl)] }
    : { entry, refusals: [nameTaken(entry, namesake)] };
}

/** As URLs are compared: a host's case has no meaning. */
export function normalUrl(url: string): string {
  return url.toLowerCase().replace(/\/+$/, "");
}

function twoEntries(entries: readonly ListedMember[]): MemberRefusal {
  return {
    code: "two-entries",
    what: `${entries.length} members have this peer URL: ${entries.map(({ id }) => formatId(id)).join(", ")}`,
    next: "find out which one is stale and remove it: etcdctl member remove <id>",
  };
}

function nameTaken({ id }: ListedMember, { name, id: other }: ListedMember): MemberRefusal {
  return {
    code: "name-taken",
    what: `member ${formatId(id)} has this peer URL, and member ${formatId(other)} has the name ${name}`,
    next: "give the --name and --peer-url of one member; two of one name lock each other out",
  };
}

function urlDiffers({ name, id, peerUrls }: ListedMember, peerUrl: string): MemberRefusal {
  return {
    code: "peer-url-differs",
    what: `${name} is member ${formatId(id)} at ${peerUrls.join(", ")}, not at ${peerUrl}`,
    next: `give the --peer-url that is listed; where the host has a new address and its data are kept: etcdctl member update ${formatId(id)} --peer-urls=${peerUrl}`,
  };
}

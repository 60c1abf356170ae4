import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import type { ListedMember } from "../reconcile/cluster-state.js";

/**
 * The member whose peer port an endpoint is, by the cluster's member list. `answeredBy` is the id of the member that
 * answers there: an etcd 3.4 serves all of its API on the peer port too, one of 3.6 no gRPC at all.
 */
export function peerPortOwner(
  endpoint: string,
  members: readonly ListedMember[],
  answeredBy?: bigint,
): ListedMember | undefined {
  const place = placeOf(endpoint);
  if (place === undefined || members.some(({ clientUrls }) => clientUrls.some((url) => isAt(url, place)))) {
    return undefined;
  }
  return members.find(
    ({ id, peerUrls, clientUrls }) =>
      clientUrls.every((url) => portOf(url) !== place.port) &&
      peerUrls.some((url) => isAt(url, place) || (portOf(url) === place.port && isSameHost(url, id))),
  );

  /** The operator's 127.0.0.1 or host name for what the member list knows by its address. */
  function isSameHost(url: string, id: bigint): boolean {
    return id === answeredBy || (isLocal(url) && isLocal(endpoint));
  }
}

interface Place {
  readonly host: string;
  readonly port: string;
}

function placeOf(url: string): Place | undefined {
  if (!URL.canParse(url)) {
    return undefined;
  }
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  return host === "" ? undefined : { host, port: port === "" ? (DEFAULT_PORTS[protocol] ?? "") : port };
}

// A URL forgets the port that is its scheme's own.
const DEFAULT_PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

function portOf(url: string): string | undefined {
  return placeOf(url)?.port;
}

function isAt(url: string, { host, port }: Place): boolean {
  const place = placeOf(url);
  return place?.host === host && place.port === port;
}

/** Whether the URL's host is this one, by loopback or by an address of it. */
function isLocal(url: string): boolean {
  const host = placeOf(url)?.host ?? "";
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return (
    host === "localhost" ||
    (isIP(host) === 4 && host.startsWith("127.")) ||
    own.some(({ address }) => address === host)
  );
}

import { networkInterfaces } from "node:os";
import { expect, test } from "vitest";
import { peerPortOwner } from "../../src/adapters/endpoint-peer-port.js";
import type { ListedMember } from "../../src/reconcile/cluster-state.js";

const member = (id: bigint, peer: string, client: string): ListedMember => ({
  id,
  name: `m${id}`,
  peerUrls: [peer],
  clientUrls: [client],
  isLearner: false,
});

const REMOTE = [
  member(1n, "https://192.0.2.1:2380", "https://192.0.2.1:2379"),
  member(2n, "https://etcd-2.example:2380", "https://etcd-2.example:2379"),
  member(3n, "https://[2001:db8::3]:2380", "https://[2001:db8::3]:2379"),
];

test.each<[string, bigint | undefined, string | undefined]>([
  ["https://192.0.2.1:2380", undefined, "m1"],
  ["http://192.0.2.1:2380", undefined, "m1"],
  ["https://etcd-2.example:2380", undefined, "m2"],
  ["https://[2001:db8::3]:2380", undefined, "m3"],
  ["https://192.0.2.1:2379", undefined, undefined],
  ["https://192.0.2.1:2379", 1n, undefined],
  // Nobody answers there, and no list knows the host: it may be anything.
  ["https://192.0.2.9:2380", undefined, undefined],
  ["https://127.0.0.1:2380", undefined, undefined],
  // It is the second member that answers, whatever the host is called.
  ["https://127.0.0.1:2380", 2n, "m2"],
  ["https://127.0.0.1:2379", 2n, undefined],
  ["https://127.0.0.1:12379", 2n, undefined],
  ["unix:///run/kine.sock", undefined, undefined],
])("%s, answered by %s: peer port of %s", (endpoint, answeredBy, owner) => {
  expect(peerPortOwner(endpoint, REMOTE, answeredBy)?.name).toBe(owner);
});

test("an address of this host and loopback are the same host", () => {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const own = addresses.find(({ family }) => family === "IPv4")?.address ?? "";
  const local = [member(1n, `https://${own}:2380`, `https://${own}:2379`)];
  expect(peerPortOwner("https://127.0.0.1:2380", local)?.name).toBe("m1");
  expect(peerPortOwner("https://localhost:2380", local)?.name).toBe("m1");
  expect(peerPortOwner("https://127.0.0.1:2379", local)).toBeUndefined();
  expect(peerPortOwner("https://192.0.2.1:2380", local)).toBeUndefined();
});

test("a port that is also a client port is one, as is the only port of a member that has one for both", () => {
  const both = [member(1n, "http://192.0.2.1:2379", "http://192.0.2.1:2379")];
  expect(peerPortOwner("http://192.0.2.1:2379", both, 1n)).toBeUndefined();
});

test("kine's member list knows no ports, and a member that never started no client port", () => {
  const kine = { ...member(0n, "", ""), peerUrls: [], clientUrls: [] };
  expect(peerPortOwner("http://127.0.0.1:2379", [kine], 0n)).toBeUndefined();
  const added = { ...member(4n, "https://192.0.2.4:2380", ""), name: "", clientUrls: [] };
  expect(peerPortOwner("https://192.0.2.4:2380", [added])).toBe(added);
});

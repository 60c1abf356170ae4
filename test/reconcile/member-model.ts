import type { EndpointAnswer, ListedMember } from "../../src/reconcile/cluster-state.js";
import type { DataDirectory, MemberObservation, WantedMember } from "../../src/reconcile/member/observed.js";
import type { MemberStep } from "../../src/reconcile/member/step.js";
import { type Quorum, quorumOf } from "../../src/reconcile/quorum.js";
import { answer, CLUSTER, observation, silent, status } from "./cluster-scene.js";
import { RUNNING, STOPPED } from "./member-scene.js";

/** A cluster as it is, besides what can be observed of it. The returning member is the one at 10.0.0.3. */
export interface World {
  readonly wanted: WantedMember;
  members: ListedMember[];
  /** Who runs and is connected, by id; the returning host's own process is not among them. */
  readonly live: Set<bigint>;
  data: DataDirectory;
  /** etcd of the returning host; `joined`: it runs as this member. */
  process: "stopped" | "wrong" | "starting" | "joined";
  appliedIndex: bigint;
  startedId: bigint | undefined;
  rendered: bigint | undefined;
  recycles: number;
  nextId: bigint;
}

const LEADER_INDEX = 5000n;

/** Voters that are live, the returning one too. */
export function quorumIn(world: World): Quorum {
  const own = entryIn(world);
  const voters = world.members.filter(({ isLearner }) => !isLearner);
  const joined = (id: bigint) => world.process === "joined" && id === own?.id;
  return quorumOf(voters.length, voters.filter(({ id }) => world.live.has(id) || joined(id)).length);
}

export function entryIn({ members, wanted }: World): ListedMember | undefined {
  return members.find(({ peerUrls }) => peerUrls.includes(wanted.peerUrl));
}

/** What a run sees of it. */
export function observe(world: World): MemberObservation {
  const own = entryIn(world);
  return {
    cluster: observation(world.members.flatMap((member) => answers(member, world, own))),
    data: world.data,
    process: world.process === "stopped" ? STOPPED : RUNNING,
    host: { nowMs: 0 },
    ...(world.startedId === undefined ? {} : { startedId: world.startedId }),
    wasRendered: own !== undefined && world.rendered === own.id,
    recycles: world.recycles,
  };
}

function answers(
  member: ListedMember,
  world: World,
  own: ListedMember | undefined,
): readonly EndpointAnswer[] {
  const { id, isLearner, clientUrls } = member;
  if (clientUrls.length === 0) return [];
  const isOwn = id === own?.id && world.process === "joined";
  if (!isOwn && !world.live.has(id)) return [silent(Number(id))];
  const hasQuorum = quorumIn(world).spare >= 0;
  const told = status(Number(id), {
    isLearner,
    leader: hasQuorum ? 1n : 0n,
    appliedIndex: isOwn ? world.appliedIndex : LEADER_INDEX,
  });
  const list = {
    clusterId: CLUSTER,
    read: hasQuorum ? "linearizable" : "local",
    members: world.members,
  } as const;
  const { list: _none, ...withoutList } = answer(Number(id), world.members, { polls: [told, told] });
  return [isLearner ? withoutList : { ...withoutList, list }];
}

/** What etcd and the host make of a step. Throws for what would harm. */
export function take(world: World, step: MemberStep): void {
  switch (step.kind) {
    case "stop":
      world.process = "stopped";
      world.startedId = undefined;
      return;
    case "remove":
      world.members = world.members.filter(({ id }) => id !== step.member.id);
      world.live.delete(step.member.id);
      return;
    case "archive":
      if (world.process !== "stopped") throw new Error("data were moved away under a running etcd");
      world.data = { kind: "empty" };
      return;
    case "add":
      if (entryIn(world) !== undefined) throw new Error("Peer URLs already exists");
      world.members = [...world.members, added(world)];
      return;
    case "start":
      start(world, step.member);
      return;
    case "promote":
      world.members = world.members.map((each) =>
        each.id === step.member.id ? { ...each, isLearner: false } : each,
      );
  }
}

function added(world: World): ListedMember {
  world.nextId += 1n;
  return { id: world.nextId, name: "", peerUrls: [world.wanted.peerUrl], clientUrls: [], isLearner: true };
}

function start(world: World, member: ListedMember): void {
  if (world.process !== "stopped") throw new Error("etcd was started twice");
  const own = entryIn(world);
  if (own?.id !== member.id) throw new Error("etcd was started for a member that is not listed");
  // etcd would take the listed id over with an empty log: panic or amnesia.
  if (world.data.kind === "empty" && own.name !== "") throw new Error("started without its data");
  world.rendered = own.id;
  world.startedId = own.id;
  world.process = "starting";
}

/** What happens while a run waits. */
export function pass(world: World): void {
  const own = entryIn(world);
  if (own === undefined) return;
  if (world.process === "stopped" && !world.wanted.controlsProcess) start(world, own);
  else if (world.process === "starting" || world.process === "wrong") join(world, own);
  else world.appliedIndex = LEADER_INDEX;
}

function join(world: World, own: ListedMember): void {
  world.process = "joined";
  world.data = { kind: "wal", memberId: own.id, clusterId: CLUSTER };
  world.members = world.members.map((each) =>
    each.id === own.id
      ? { ...each, name: world.wanted.name, clientUrls: [`https://10.0.0.${own.id}:2379`] }
      : each,
  );
}

/** A run that ends at once: the next one knows nothing of it. */
export function forget(world: World): void {
  world.startedId = undefined;
  world.recycles = 0;
}

import { expect } from "vitest";
import { openJournalStore } from "../../src/adapters/journal-files.js";
import { JOURNAL_CODEC } from "../../src/plan/journal-line.js";
import { readHistory } from "../../src/run/history.js";
import { openScene, type Scene } from "../crash/scene.js";
import { type StoredNode, withFields } from "../harness/cluster.js";
import type { Lived } from "../harness/crash.js";
import type { Action, OtherWrite, Story, ToolRun } from "../harness/model.js";

/** What others know of a Node: all that the tool may not change. */
interface KnownNode {
  readonly uid: string;
  /** Its bytes as others have written them, with any block. */
  readonly bytes: Uint8Array;
  readonly beat: string;
  /** The blocks that others have given it, the first one too. */
  readonly given: readonly string[];
  /** The block that somebody else has given it since the last plan was made: nobody may change it. */
  readonly pinned?: string;
  /** Whether it was there at first, and nobody else has touched its block: only then is the end of all rollbacks known. */
  readonly isOurs: boolean;
  /** Whether it has joined later: rollbacks move it along, wherever it is. */
  readonly joined: boolean;
}

interface Model {
  readonly scene: Scene;
  readonly nodes: Map<string, KnownNode>;
  /** So many things others have written. */
  writes: number;
  /** What others do, one after the other, also while 16 Txns are in flight. */
  writing: Promise<void>;
}

const NODES = 7;
const TARGETS = ["10.212.0.0/16", "10.213.0.0/16"];

/** Plays a story on an etcd; after each action everything that must always be true is. */
export async function play(endpoint: string, { live, actions }: Story): Promise<void> {
  const scene = await openScene(endpoint, live ? "in flight" : "batches", NODES);
  const model: Model = { scene, nodes: new Map(), writes: 0, writing: Promise.resolve() };
  for (const [name, node] of await scene.cluster.nodes()) model.nodes.set(name, knownNode(node));
  for (const action of actions) {
    await act(model, action);
    await check(model);
  }
  await goBack(model);
}

function knownNode({ uid, value, beat, podCidr = "" }: StoredNode): KnownNode {
  return { uid, bytes: value, beat, given: [podCidr], isOurs: true, joined: false };
}

async function act(model: Model, action: Action): Promise<void> {
  if ("other" in action) await write(model, action.other);
  else await runTool(model, action.tool);
}

async function runTool(
  model: Model,
  { command, target, killAfter, unsynced, meanwhile }: ToolRun,
): Promise<void> {
  const argv = {
    change: ["change-pod-cidr", TARGETS[target] ?? "", "--node-cidr-mask-size", "25"],
    resume: ["resume"],
    rollback: ["rollback", "--accept", "changed-since"],
  }[command];
  // A new plan is made from what others have written until now.
  const known = [...model.nodes].filter(([, { joined }]) => command === "change" || joined);
  let txns = 0;
  const lived = await model.scene.run([...argv, "--yes"], {
    ...(killAfter === undefined ? {} : { killAfter }),
    unsynced,
    beforeTxn: async () => {
      txns += 1;
      const now = meanwhile.filter(({ txn }) => txn === txns);
      await Promise.all(now.map((late) => write(model, late.write)));
    },
  });
  expectExplained(lived);
  for (const [name, { pinned }] of known) unpin(model, name, pinned);
}

function unpin({ nodes }: Model, name: string, pinned: string | undefined): void {
  const node = nodes.get(name);
  if (node === undefined || node.pinned !== pinned) return;
  const { pinned: _pinned, ...unpinned } = node;
  nodes.set(name, unpinned);
}

/** Whatever happens, the tool says what: never a fault of its own, never a journal that it cannot read. */
function expectExplained({ killed, err, exitCode }: Lived): void {
  expect(err).not.toContain("journal-damaged");
  expect(killed || !err.includes("internal")).toBe(true);
  expect(killed || [0, 3, 4, 6].includes(exitCode)).toBe(true);
}

function write(model: Model, write: OtherWrite): Promise<void> {
  model.writing = model.writing.then(() => writeNext(model, write));
  return model.writing;
}

async function writeNext(model: Model, { what, node: index }: OtherWrite): Promise<void> {
  model.writes += 1;
  const names = [...model.nodes.keys()];
  const name = names[index % names.length] ?? "";
  await WRITES[what](model, name);
}

const WRITES: Readonly<Record<OtherWrite["what"], (model: Model, name: string) => Promise<void>>> = {
  async beat({ scene, nodes, writes }, name) {
    const node = nodes.get(name);
    if (node === undefined) return;
    const beat = `beat-${writes}`;
    const fields = { "status.nodeInfo.bootID": beat };
    nodes.set(name, { ...node, beat, bytes: withFields(node.bytes, fields) });
    await scene.cluster.touch(name, fields);
  },
  async edit({ scene, nodes, writes }, name) {
    const node = nodes.get(name);
    if (node === undefined) return;
    const pinned = `10.99.${writes}.0/25`;
    nodes.set(name, { ...node, pinned, given: [...node.given, pinned], isOurs: false });
    await scene.cluster.touch(name, { "spec.podCIDR": pinned, "spec.podCIDRs": [pinned] });
  },
  async delete({ scene, nodes }, name) {
    nodes.delete(name);
    await scene.cluster.delete(`minions/${name}`);
  },
  async create(model, name) {
    await create(model, `new-${model.writes}`, name);
  },
  async recreate(model, name) {
    await model.scene.cluster.delete(`minions/${name}`);
    await create(model, name, name);
  },
};

/** With a block of the first range that no other Node has ever had. */
async function create({ scene, nodes, writes }: Model, name: string, like: string): Promise<void> {
  const model = nodes.get(like);
  if (model === undefined) return;
  const firstBlock = `10.112.${20 + writes}.0/25`;
  const uid = `00000000-0000-4000-9000-${String(writes).padStart(12, "0")}`;
  const bytes = withFields(model.bytes, {
    "metadata.name": name,
    "metadata.uid": uid,
    "spec.podCIDR": firstBlock,
    "spec.podCIDRs": [firstBlock],
  });
  nodes.set(name, { uid, bytes, beat: model.beat, given: [firstBlock], isOurs: false, joined: true });
  await scene.cluster.put(`minions/${name}`, bytes);
}

async function check({ scene, nodes }: Model): Promise<void> {
  const stored = await scene.cluster.nodes();
  expect([...stored.keys()].sort()).toEqual([...nodes.keys()].sort());
  const blocks = [...stored.values()].map(({ podCidr }) => podCidr);
  expect(new Set(blocks).size).toBe(blocks.length);
  const explained = await journaledBlocks(scene.directory);
  for (const [name, node] of nodes) {
    const { uid, beat, podCidr = "", podCidrs, value } = stored.get(name) ?? missing(name);
    expect({ name, uid, beat, podCidrs }).toEqual({
      name,
      uid: node.uid,
      beat: node.beat,
      podCidrs: [podCidr],
    });
    expect({ name, podCidr }).toEqual({ name, podCidr: node.pinned ?? podCidr });
    expect([...node.given, ...(explained.get(uid) ?? [])]).toContain(podCidr);
    // But for its block it is byte for byte what others have written.
    const ours = { "spec.podCIDR": podCidr, "spec.podCIDRs": podCidrs };
    expect(Buffer.compare(value, withFields(node.bytes, ours))).toBe(0);
  }
}

/** uid -> every block that a journal says was sent to that Node, or was there before. */
async function journaledBlocks(directory: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const blocks = new Map<string, string[]>();
  for (const { keys } of await readHistory(openJournalStore(directory, JOURNAL_CODEC))) {
    for (const { outline, sent } of keys.values()) {
      const known = blocks.get(outline.uid) ?? [];
      blocks.set(outline.uid, [...known, ...outline.before, ...(sent === undefined ? [] : outline.after)]);
    }
  }
  return blocks;
}

/** At the end everything is finished or undone, newest first: what no one else has changed is as it was. */
async function goBack(model: Model): Promise<void> {
  const { scene, nodes } = model;
  let last: Lived | undefined;
  for (const [name, { joined, pinned }] of nodes) unpin(model, name, joined ? pinned : undefined);
  for (let changes = 0; changes < 40 && last?.err.includes("nothing to roll back: no") !== true; changes++) {
    await scene.run(["resume", "--yes"]);
    last = await scene.run(["rollback", "--yes", "--accept", "changed-since", "--leave-new-nodes"]);
    expectExplained(last);
    await check(model);
  }
  const stored = await scene.cluster.nodes();
  for (const [name, { bytes }] of [...nodes].filter(([, { isOurs }]) => isOurs)) {
    const { value, podCidr } = stored.get(name) ?? missing(name);
    expect({ name, podCidr, same: Buffer.compare(value, bytes) === 0 }).toEqual({
      name,
      podCidr,
      same: true,
    });
  }
  expect(last?.err).toContain("nothing to roll back");
}

function missing(name: string): never {
  throw new Error(`${name} is missing`);
}

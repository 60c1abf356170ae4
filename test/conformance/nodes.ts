import type { Api, Watch } from "../../scripts/control-plane/control-plane.mjs";
import { openClient } from "../harness/etcd.js";
import { NODES } from "./bed.js";

/** Blocks by the Node's name. */
export type Blocks = Readonly<Record<string, readonly string[]>>;

interface NodeObject {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly spec: { readonly podCIDR?: string; readonly podCIDRs?: readonly string[] };
}

/** The Nodes' blocks in a list of the API; throws where podCIDR is not the first of podCIDRs. */
export function blocksIn({ items }: { readonly items: readonly NodeObject[] }): Blocks {
  return Object.fromEntries(items.map((node) => [node.metadata.name, blocksOf(node)]));
}

export function blocksOf({ metadata, spec }: NodeObject): readonly string[] {
  const blocks = spec.podCIDRs ?? [];
  if (spec.podCIDR !== blocks[0])
    throw new Error(`${metadata.name}: podCIDR ${spec.podCIDR}, podCIDRs ${blocks.join(", ")}`);
  return blocks;
}

/** Every Node's blocks, each read by itself: the API server answers that from the store and not from its cache. */
export async function readEach(api: Api, names: readonly string[]): Promise<Blocks> {
  const found: [string, readonly string[]][] = [];
  for (const name of names) found.push([name, blocksOf(await api.get(`${NODES}/${name}`))]);
  return Object.fromEntries(found);
}

/** A Node's block of /24 by its place in 10.112.0.0/16, as a block of /23 in the same place of 10.212.0.0/16. */
export function movedBlocks(before: Blocks): Blocks {
  const moved = (block: string) =>
    block.replace(/^10\.112\.(\d+)\.0\/24$/, (_, at) => `10.212.${at * 2}.0/23`);
  return Object.fromEntries(Object.entries(before).map(([name, blocks]) => [name, blocks.map(moved)]));
}

export interface SeenEvent {
  readonly atMs: number;
  readonly type: string;
  readonly name: string;
  readonly revision: string;
  readonly blocks: readonly string[];
}

export interface NodeWatch extends Watch {
  readonly events: readonly SeenEvent[];
}

export async function watchNodes(api: Api, query: string): Promise<NodeWatch> {
  const events: SeenEvent[] = [];
  const watch = api.watch(`${NODES}${query}`, ({ type, object }) => {
    const { name, resourceVersion: revision } = object.metadata;
    events.push({ atMs: Date.now(), type, name, revision, blocks: blocksOf(object) });
  });
  await watch.opened;
  return { ...watch, events };
}

/** When etcd committed each revision of the Nodes since now, as another client of etcd sees it. */
export async function watchCommits(storeUrl: string): Promise<{
  readonly atMs: ReadonlyMap<string, number>;
  end(): Promise<void>;
}> {
  const client = openClient(storeUrl);
  const atMs = new Map<string, number>();
  const watcher = await client.watch().prefix("/registry/minions/").create();
  watcher.on("put", (kv) => atMs.set(kv.mod_revision, Date.now()));
  return {
    atMs,
    async end() {
      await watcher.cancel();
      client.close();
    },
  };
}

import { onTestFinished } from "vitest";
import type { Api, Watch } from "../../scripts/control-plane/control-plane.mjs";
import { NODES } from "./bed.js";
import { type Blocks, blocksIn, blocksOf } from "./nodes.js";

/** A client that keeps what it knows of the Nodes up to date by watching alone, over a connection that often breaks. */
export interface Follower {
  /** What it believes. */
  readonly blocks: Blocks;
  readonly cuts: number;
  /** Whether it has seen this revision of this Node. */
  hasSeen(name: string, revision: string): boolean;
  stop(): void;
}

/**
 * Lists once and watches from there. Its connection breaks after so many events as `cutAfter` says each time, or when the API
 * server ends it; it goes on from the last revision it has seen, and never lists again.
 */
export async function follow(api: Api, cutAfter: () => number): Promise<Follower> {
  const list = await api.get(NODES);
  const blocks = new Map(Object.entries(blocksIn(list)));
  const revisions = new Map<string, string>();
  let last: string = list.metadata.resourceVersion;
  let cuts = 0;
  let isStopped = false;
  let current: Watch;
  const open = (): void => {
    let left = cutAfter();
    current = api.watch(`${NODES}?resourceVersion=${last}`, ({ type, object }) => {
      if (type !== "MODIFIED") throw new Error(`a watch said ${type}: ${JSON.stringify(object)}`);
      const { name, resourceVersion } = object.metadata;
      blocks.set(name, blocksOf(object));
      revisions.set(name, resourceVersion);
      last = resourceVersion;
      left -= 1;
      if (left === 0) current.cut();
    });
    void current.ended.then(() => {
      if (isStopped) return;
      cuts += 1;
      open();
    });
  };
  open();
  const stop = () => {
    isStopped = true;
    current.cut();
  };
  onTestFinished(stop);
  return {
    get blocks() {
      return Object.fromEntries(blocks);
    },
    get cuts() {
      return cuts;
    },
    hasSeen: (name, revision) => revisions.get(name) === revision,
    stop,
  };
}

import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { Api } from "../../scripts/control-plane/control-plane.mjs";
import { NODES } from "./bed.js";

const EVERY_MS = 20;
const MERGE_PATCH = "application/merge-patch+json";

interface Beat {
  readonly node: string;
  readonly number: number;
  readonly status: number;
}

/** What a kubelet and a controller write all the time, 50 a second: by turns each Node's status and annotations. */
export function startHeartbeats(api: Api, names: readonly string[]): { stop(): Promise<readonly Beat[]> } {
  const ending = new AbortController();
  const beats: Promise<Beat>[] = [];
  const beating = (async () => {
    const startMs = Date.now();
    while (!ending.signal.aborted) {
      const number = beats.length;
      beats.push(beat(api, names[(number >> 1) % names.length] ?? "", number));
      await sleep(Math.max(0, startMs + beats.length * EVERY_MS - Date.now()));
    }
  })();
  const stop = async () => {
    ending.abort();
    await beating;
    return await Promise.all(beats);
  };
  onTestFinished(async () => void (await stop()));
  return { stop };
}

async function beat(api: Api, node: string, number: number): Promise<Beat> {
  const write =
    number % 2 === 0
      ? {
          path: `${NODES}/${node}/status`,
          body: { status: { capacity: { [`example.com/${number}`]: "1" } } },
        }
      : { path: `${NODES}/${node}`, body: { metadata: { annotations: { [`example.com/${number}`]: "1" } } } };
  const { status } = await api.request("PATCH", write.path, write.body, MERGE_PATCH);
  return { node, number, status };
}

/** The numbers of the beats that a Node shows. */
export function beatsOn({
  metadata,
  status,
}: {
  readonly metadata: { readonly annotations?: object };
  readonly status: { readonly capacity?: object };
}): readonly number[] {
  const names = [...Object.keys(metadata.annotations ?? {}), ...Object.keys(status.capacity ?? {})];
  return names
    .flatMap((name) => (/^example\.com\/(\d+)$/.exec(name) ?? []).slice(1).map(Number))
    .sort((a, b) => a - b);
}

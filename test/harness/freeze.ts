import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { vi } from "vitest";
import type { EtcdServer } from "./etcd.js";

/**
 * Stops a server and returns when all of its threads stand still: after `kill` alone one that is running on another core
 * may still answer. It goes on at SIGCONT.
 */
export async function freeze(server: EtcdServer): Promise<void> {
  server.kill("SIGSTOP");
  await vi.waitUntil(() => threadStates(server.pid).every((state) => state === "T"), { timeout: 10_000 });
}

/** Of a system without /proc nothing is known, and the signal is trusted. */
function threadStates(pid: number): (string | undefined)[] {
  const folder = `/proc/${pid}/task`;
  return entriesOf(folder).map(
    (thread) => /\) (\S)/.exec(readFileSync(join(folder, thread, "stat"), "utf8"))?.[1],
  );
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

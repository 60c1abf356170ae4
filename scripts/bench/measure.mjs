// Measures whole processes.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Runs a program to its end; returns the seconds it took. */
export function seconds(command, args) {
  const start = process.hrtime.bigint();
  const { status, stderr, error } = spawnSync(command, args, {
    env: environment(),
    stdio: ["ignore", "ignore", "pipe"],
    maxBuffer: 1 << 28,
  });
  const taken = Number(process.hrtime.bigint() - start) / 1e9;
  if (error !== undefined || status !== 0)
    throw new Error(`${command} ${args.join(" ")} ended with ${status}:\n${error ?? stderr}`);
  return taken;
}

/** Runs a Node.js program to its end; returns the most memory it had, in MB. */
export function peakMegabytes(args, folder) {
  const file = join(folder, "memory");
  process.env.BENCH_MEMORY_FILE = file;
  seconds(process.execPath, ["--import", new URL("report-memory.mjs", import.meta.url).href, ...args]);
  return (Number(readFileSync(file, "utf8")) * 1024) / 1e6;
}

/**
 * Runs programs in turn, `prepare` before each; returns each one's median.
 * @param {{ [name: string]: () => number }} programs
 */
export async function alternate(programs, times, prepare = () => {}) {
  const taken = Object.fromEntries(Object.keys(programs).map((name) => [name, []]));
  for (let round = 0; round < times; round++) {
    for (const [name, run] of Object.entries(programs)) {
      await prepare();
      taken[name].push(run());
    }
  }
  return Object.fromEntries(Object.entries(taken).map(([name, values]) => [name, median(values)]));
}

function median(values) {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[sorted.length >> 1];
}

/** Ours, without what it says of an etcd. */
function environment() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("ETCDCTL_")));
}

// Loaded before a measured program (`node --import`): tells how much memory it had at most.
import { readFileSync, writeFileSync } from "node:fs";

process.on("exit", () => {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"));
  writeFileSync(process.env.BENCH_MEMORY_FILE, kilobytes);
});

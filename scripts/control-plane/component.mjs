// One process of a control plane, with its log in a file.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 50;

/**
 * Starts a process that ends with this one at the latest.
 * @param {string} binary
 * @param {readonly string[]} args
 * @param {string} logFile
 */
export function startComponent(binary, args, logFile) {
  const name = basename(binary);
  const log = openSync(logFile, "w");
  const child = spawn(binary, args, { stdio: ["ignore", log, log] });
  closeSync(log);
  const endWithUs = () => child.kill("SIGKILL");
  process.once("exit", endWithUs);
  const ended = once(child, "exit").then(([code, signal]) => {
    process.removeListener("exit", endWithUs);
    return code ?? signal;
  });
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const readLog = () => readFileSync(logFile, "utf8");
  return {
    name,
    pid: child.pid,
    /** Exit code, or the signal that ended it. */
    ended,
    isRunning,
    log: readLog,
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      await ended;
    },
    /** Returns when `isReady` has said so; throws with the end of the log when the process ends before, or at the deadline. */
    async ready(isReady, withinMs) {
      const deadline = Date.now() + withinMs;
      while (!(await isReady())) {
        if (!isRunning()) throw new Error(`${name} ended, its log ends with:\n${readLog().slice(-2000)}`);
        if (Date.now() > deadline) {
          child.kill("SIGKILL");
          throw new Error(
            `${name} was not ready in ${withinMs} ms, its log ends with:\n${readLog().slice(-2000)}`,
          );
        }
        await sleep(POLL_MS);
      }
      // What answered was ready, but whether it was this process is not known when it has ended since.
      if (!isRunning()) throw new Error(`${name} ended, its log ends with:\n${readLog().slice(-2000)}`);
    },
  };
}

// A control plane for a person: one at a time, held by a process in the background until it is told to stop.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { claim, FOLDER_PREFIX, processesOf, readClaim, release } from "./claim.mjs";

const SCRIPT = join(import.meta.dirname, "..", "control-plane.mjs");
const POLL_MS = 50;
const LAST_LINES = 20;

/**
 * Starts `serve` with the same arguments in the background and returns what it says of itself when it is ready; throws
 * with the last lines of its log when it ends before.
 * @param {readonly string[]} args
 */
export async function startInBackground(args) {
  const folder = join(tmpdir(), `${FOLDER_PREFIX}${randomBytes(8).toString("hex")}`);
  mkdirSync(folder, { mode: 0o700 });
  const logFile = join(folder, "serve.log");
  const log = openSync(logFile, "w");
  // Opened before `serve` can remove it with its folder.
  const reader = openSync(logFile, "r");
  // Detached: the leader of a process group, by which what it starts is found when it is gone.
  const child = spawn(process.execPath, [SCRIPT, "serve", ...args, "--folder", folder], {
    detached: true,
    stdio: ["ignore", log, log, "ipc"],
  });
  closeSync(log);
  const ended = once(child, "exit");
  const [answer] = await Promise.race([once(child, "message"), ended.then(() => [])]);
  if (answer === undefined) {
    rmSync(folder, { recursive: true, force: true });
    const [code, signal] = await ended;
    throw new Error(lastLines(readFileSync(reader, "utf8")) || `serve ended with ${code ?? signal}`);
  }
  closeSync(reader);
  child.disconnect();
  child.unref();
  return answer;
}

const lastLines = (text) => text.trim().split("\n").slice(-LAST_LINES).join("\n");

/**
 * Holds what `start` starts in the folder until a signal comes, or until the process that asked for it goes away before it
 * is ready.
 * @param {string} folder
 * @param {() => Promise<{ about: object, stop: () => Promise<void> }>} start
 */
export async function hold(folder, start) {
  if (process.send === undefined) throw new Error("serve is for up alone");
  const told = new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.once(signal, resolve);
  });
  const abandoned = once(process, "disconnect");
  try {
    await holdClaimed(claim(folder), start, told, abandoned);
  } finally {
    // Who listens for its end keeps the channel open, and the open channel keeps this process.
    if (process.connected) process.disconnect();
  }
}

async function holdClaimed(own, start, told, abandoned) {
  try {
    const starting = start();
    const first = await Promise.race([starting, told, abandoned]);
    if (first?.about !== undefined) {
      process.send(first.about);
      await told;
    }
    await (await starting).stop();
  } finally {
    release(own);
  }
}

/** Stops the one in the background, or what is left of it when its holder was killed; false when there is none. */
export async function stopInBackground() {
  const running = readClaim();
  if (running === undefined) return false;
  if (processesOf(running).includes(running.pid)) signal(running.pid, "SIGTERM");
  while (processesOf(running).includes(running.pid)) await sleep(POLL_MS);
  for (let left = processesOf(running); left.length > 0; left = processesOf(running)) {
    for (const pid of left) signal(pid, "SIGKILL");
    await sleep(POLL_MS);
  }
  release(running);
  return true;
}

/** It can have ended since it was seen. */
function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}

// A control plane for a person: one at a time, held by a process in the background until it is told to stop.
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { refuseTaken } from "../ports.mjs";

const SCRIPT = join(import.meta.dirname, "..", "control-plane.mjs");
const POLL_MS = 50;

const stateFolder = () =>
  join(process.env.XDG_STATE_HOME || join(homedir(), ".local", "state"), "etcdcidr-control-plane");
const stateFile = () => join(stateFolder(), "state.json");
const logFile = () => join(stateFolder(), "log");

/**
 * Starts `serve` with the same arguments in the background and returns what it says of itself when it is ready.
 * @param {readonly string[]} args
 * @param {number | undefined} port
 */
export async function startInBackground(args, port) {
  const running = readRunning();
  if (running !== undefined)
    throw new Error(
      `a control plane is running (${running.kubeconfig}); stop it: npm run control-plane -- down`,
    );
  if (port !== undefined) await refuseTaken(port);
  mkdirSync(stateFolder(), { recursive: true });
  const id = randomBytes(8).toString("hex");
  const log = openSync(logFile(), "w");
  const child = spawn(process.execPath, [SCRIPT, "serve", "--id", id, ...args], {
    detached: true,
    stdio: ["ignore", log, log, "ipc"],
  });
  closeSync(log);
  const [answer] = await Promise.race([once(child, "message"), once(child, "exit").then(() => [])]);
  if (answer === undefined) throw new Error(readFileSync(logFile(), "utf8").trim());
  writeFileSync(stateFile(), JSON.stringify({ pid: child.pid, id, ...answer }));
  child.disconnect();
  child.unref();
  return answer;
}

/**
 * Holds what `start` starts until a signal comes, or until the process that asked for it goes away before it is ready.
 * @param {() => Promise<{ about: object, stop: () => Promise<void> }>} start
 */
export async function hold(start) {
  if (process.send === undefined) throw new Error("serve is for up alone");
  const told = new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.once(signal, resolve);
  });
  const abandoned = once(process, "disconnect");
  const starting = start();
  const first = await Promise.race([starting, told, abandoned]);
  if (first?.about !== undefined) {
    process.send(first.about);
    await told;
  }
  await (await starting).stop();
}

/** Stops the one in the background; returns what it said of itself, or undefined when none runs. */
export async function stopInBackground() {
  const running = readRunning();
  if (running === undefined) return undefined;
  process.kill(running.pid, "SIGTERM");
  while (isOurs(running)) await sleep(POLL_MS);
  rmSync(stateFile(), { force: true });
  return running;
}

function readRunning() {
  if (!existsSync(stateFile())) return undefined;
  const state = JSON.parse(readFileSync(stateFile(), "utf8"));
  return isOurs(state) ? state : undefined;
}

/** Whether the process of that id is the one that was started, and not another that has got its id since. */
function isOurs({ pid, id }) {
  return spawnSync("ps", ["-ww", "-o", "args=", "-p", String(pid)], { encoding: "utf8" }).stdout.includes(id);
}

// What the scripts make once per machine, and how: in a folder outside the checkout, never half-made.
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

/** Where etcdcidr's scripts keep what is built once per machine. */
export function cacheDirectory() {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "etcdcidr");
}

/**
 * Makes a folder beside its place and renames it, so that a half-made one is never taken for a whole one. Of two that
 * make the same at once the first one's stays.
 * @param {string} target
 * @param {(draft: string) => void} make
 */
export function intoPlace(target, make) {
  mkdirSync(join(target, ".."), { recursive: true });
  const draft = mkdtempSync(`${target}.`);
  try {
    make(draft);
    moveUnlessThere(draft, target);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function moveUnlessThere(draft, target) {
  try {
    renameSync(draft, target);
  } catch (error) {
    if (!existsSync(target)) throw error;
  }
}

/** Runs a command to its end and returns its stdout; throws what it says when it fails. */
export function capture(command, args, options) {
  const result = spawnSync(command, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 1 << 28,
    ...options,
  });
  if (result.error) throw new Error(`${command} could not be started: ${result.error.message}`);
  if (result.status !== 0) {
    // `go mod download -json` says it on stdout.
    const said = result.stderr.trim() || result.stdout.trim();
    throw new Error(`${command} ${args.join(" ")} failed: ${said.slice(-2000)}`);
  }
  return result.stdout;
}

/**
 * The file that a command's name means, or undefined.
 * @param {string} name
 */
export function onPath(name) {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

export function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

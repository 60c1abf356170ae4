// What every script needs before it can do its own work in a fresh clone.
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Installs what the lock file names, unless that is what is there. */
export function install(say) {
  const installed = join(ROOT, "node_modules", ".package-lock.json");
  if (
    existsSync(installed) &&
    statSync(installed).mtimeMs >= statSync(join(ROOT, "package-lock.json")).mtimeMs
  ) {
    return;
  }
  say("installing dependencies (npm ci)");
  // No package here needs its install script; the one that compiles would fetch headers from elsewhere.
  const { ok, output } = npm("ci", "--include=dev", "--ignore-scripts", "--no-audit", "--loglevel=error");
  if (!ok) throw new Error(`npm ci failed:\n${output}`);
}

export function build(say) {
  say("building (npm run build)");
  const { ok, output } = npm("run", "--silent", "build");
  if (!ok) throw new Error(`npm run build failed:\n${output}`);
}

/** Runs npm in the project's root, without a word of its own. */
export function npm(...args) {
  return run("npm", args);
}

/** Runs a command to its end and returns what it printed, both streams in one. */
export function run(command, args, env = {}) {
  const result = spawnSync(command, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 1 << 28,
  });
  const output = [result.stdout, result.stderr, result.error?.message].filter(Boolean).join("\n");
  return {
    ok: result.status === 0,
    output: process.stdout.isTTY ? output : stripVTControlCharacters(output),
  };
}

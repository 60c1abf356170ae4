import { readFileSync, readlinkSync } from "node:fs";
import { homedir, hostname, userInfo } from "node:os";
import { join } from "node:path";
import type { Host } from "../ports.js";

/** This host and this process. */
export function thisHost(): Host {
  return { name: hostname(), bootId: bootId(), pid: process.pid, user: userName(), isAlive };
}

/** In a container the user need not have an entry in the password file. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}

/**
 * With the pid namespace: a container on the host's network has the host's name, and pids of its own. Empty where /proc tells
 * neither; there a dead holder's lease is waited for.
 */
function bootId(): string {
  try {
    const id = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${id} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return "";
  }
}

/** Signal 0 asks without sending; EPERM means that it lives and is somebody else's. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Where journals go unless `--journal-dir` says otherwise: /var/lib for root, else the XDG state directory. */
export function defaultJournalDirectory(environment: NodeJS.ProcessEnv): string {
  if (process.getuid?.() === 0) return "/var/lib/etcdcidr";
  return join(environment["XDG_STATE_HOME"] || join(homedir(), ".local", "state"), "etcdcidr");
}

import { open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import type { Host } from "../ports.js";
import { makeDirectory, unusable } from "./journal-directory.js";

/**
 * Keeps a second run on this host away while this one lives; returns the function that lets go. What a run that was killed, or a
 * boot before this one, has left behind is taken over. Throws `refused`, or `journal-unusable`.
 */
export async function lockRuns(path: string, host: Host): Promise<() => Promise<void>> {
  const own = JSON.stringify({ pid: host.pid, bootId: host.bootId, user: host.user });
  try {
    await makeDirectory(dirname(path));
    await takeOverFromDead(path, host);
    const file = await open(path, "wx", 0o600);
    await file.writeFile(own);
    await file.close();
    return () => rm(path, { force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw held(path, "another run");
    throw unusable(dirname(path), error);
  }
}

/** Renamed first: of two runs that find the same dead one, one alone gets it. */
async function takeOverFromDead(path: string, host: Host): Promise<void> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return;
  const holder = parseHolder(text);
  if (holder?.bootId === host.bootId && host.isAlive(holder.pid))
    throw held(path, `process ${holder.pid} of ${holder.user}`);
  const dead = `${path}.${host.pid}`;
  await rename(path, dead);
  await rm(dead);
}

/** Undefined for what a run was killed in the middle of writing. */
function parseHolder(
  text: string,
): { readonly pid: number; readonly bootId: string; readonly user: string } | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function held(path: string, holder: string): EtcdcidrError {
  return new EtcdcidrError("refused", {
    what: "another run is bringing a member back on this host",
    why: `${holder} holds ${path}`,
    now: NOTHING_WRITTEN,
    next: "wait until it has ended, then run again",
  });
}

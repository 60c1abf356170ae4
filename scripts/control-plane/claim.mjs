// Which control plane of a person's is running: a file names it before it starts and until nothing of it is left.
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { capture } from "../cache.mjs";

/** How the folder of each is named. */
export const FOLDER_PREFIX = "etcdcidr-control-plane-";

const stateFolder = () =>
  join(process.env.XDG_STATE_HOME || join(homedir(), ".local", "state"), "etcdcidr-control-plane");
const stateFile = () => join(stateFolder(), "state.json");

/**
 * Makes this process, the leader of its process group, the holder of the control plane in the folder. Throws while there
 * is another; the claim of one of which no process is left is taken over.
 * @param {string} folder
 */
export function claim(folder) {
  mkdirSync(stateFolder(), { recursive: true });
  const own = { pid: process.pid, folder };
  while (!write(own)) {
    const other = readClaim();
    if (other !== undefined) takeOver(other);
  }
  return own;
}

/**
 * The claim there is, or undefined.
 * @returns {{ pid: number, folder: string } | undefined}
 */
export function readClaim() {
  const text = readIfThere(stateFile());
  return text === undefined ? undefined : parse(text);
}

/** Removes the folder of a control plane that has ended, and then its claim. */
export function release({ folder }) {
  rmSync(folder, { recursive: true, force: true });
  const aside = `${stateFile()}.${process.pid}`;
  if (!moveIfThere(stateFile(), aside)) return;
  // Since we looked, another can have taken it over: it gets its claim back.
  if (parse(readFileSync(aside, "utf8")).folder !== folder) linkSync(aside, stateFile());
  rmSync(aside);
}

/**
 * The processes of a control plane: in the group of its holder, which keeps its id while one of them lives, and with the
 * folder on the command line, which no later group of that id has.
 */
export function processesOf({ pid, folder }) {
  return capture("ps", ["-ww", "-A", "-o", "pid=,pgid=,args="])
    .split("\n")
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [])
    .filter(([, , group, args]) => Number(group) === pid && args.includes(folder))
    .map(([, id]) => Number(id));
}

/** Whether it was the first: the link appears with its whole text, or not at all. */
function write(own) {
  const draft = `${stateFile()}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(own));
  try {
    linkSync(draft, stateFile());
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    return false;
  } finally {
    rmSync(draft);
  }
}

function takeOver(other) {
  if (processesOf(other).length > 0)
    throw new Error(
      `a control plane is running (${join(other.folder, "kubeconfig")}); stop it: npm run control-plane -- down`,
    );
  release(other);
}

function parse(text) {
  try {
    const { pid, folder } = JSON.parse(text);
    // The folder is going to be removed: never one that is not ours.
    if (Number.isInteger(pid) && basename(folder).startsWith(FOLDER_PREFIX)) return { pid, folder };
  } catch {
    // Said below.
  }
  throw new Error(
    `${stateFile()} does not say which control plane is running.\n` +
      `End the processes that this lists, then remove that file: pgrep -af ${FOLDER_PREFIX}`,
  );
}

function readIfThere(path) {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
    return undefined;
  }
}

function moveIfThere(path, target) {
  try {
    renameSync(path, target);
    return true;
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
    return false;
  }
}

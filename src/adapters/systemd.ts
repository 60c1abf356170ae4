import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";

const run = promisify(execFile);

/** What systemd knows of a unit. */
export interface Unit {
  readonly isLoaded: boolean;
  /** `active`, `activating`, `inactive`, `failed`. */
  readonly activeState: string;
  readonly environmentFiles: readonly string[];
  /** The words of ExecStart=, the program first. */
  readonly command: readonly string[];
}

/** Throws `not-found` where there is no systemd to ask. */
export async function showUnit(name: string): Promise<Unit> {
  const properties = "LoadState,ActiveState,EnvironmentFiles,ExecStart";
  const { stdout } = await run("systemctl", ["show", `--property=${properties}`, name]).catch(
    (cause: unknown) => {
      throw noSystemd(name, cause);
    },
  );
  const valuesOf = (property: string): readonly string[] =>
    [...stdout.matchAll(new RegExp(`^${property}=(.*)$`, "gm"))].map(([, value = ""]) => value);
  return {
    isLoaded: valuesOf("LoadState")[0] === "loaded",
    activeState: valuesOf("ActiveState")[0] ?? "",
    environmentFiles: valuesOf("EnvironmentFiles").map((value) => value.replace(/ \(.*\)$/, "")),
    command: /argv\[\]=(.*?) ; /.exec(valuesOf("ExecStart")[0] ?? "")?.[1]?.split(" ") ?? [],
  };
}

/** Returns when all its processes have ended, which systemd sees to. */
export function stopUnit(name: string): Promise<void> {
  return systemctl("stop", name);
}

/** Does not wait: etcd that joins tells systemd only later that it is ready. */
export async function startUnit(name: string): Promise<void> {
  // A unit that has failed often is not started again before this; of one that has not, systemd says that it is not loaded.
  const { activeState } = await showUnit(name);
  if (activeState === "failed") await systemctl("reset-failed", name);
  await systemctl("start", "--no-block", name);
}

async function systemctl(...words: readonly string[]): Promise<void> {
  try {
    await run("systemctl", words);
  } catch (cause) {
    throw new EtcdcidrError(
      "stopped",
      {
        what: `systemctl ${words.join(" ")} failed`,
        why: messageOf(cause),
        now: "what is done so far stays; `etcdcidr members` shows it",
        next: `run as root, look at systemctl status ${words.at(-1)}, then run again`,
      },
      { cause },
    );
  }
}

function noSystemd(name: string, cause: unknown): EtcdcidrError {
  return new EtcdcidrError(
    "not-found",
    {
      what: `systemd cannot be asked for unit ${name}`,
      why: messageOf(cause),
      now: NOTHING_WRITTEN,
      next: "give --name, --peer-url and --data-dir and start etcd yourself",
    },
    { cause },
  );
}

function messageOf(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).trim();
}

import { copyFile, readFile, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { flagsIn } from "../adapters/discovery-manifest.js";
import { etcdConfiguration } from "../adapters/etcd-configuration.js";
import { editEtcdEnvironment, environmentFlags } from "../adapters/etcd-environment.js";
import { etcdVersion } from "../adapters/etcd-version.js";
import { isThere, syncDirectory } from "../adapters/journal-directory.js";
import { renderedMark } from "../adapters/rendered-mark.js";
import { showUnit, startUnit, stopUnit, type Unit } from "../adapters/systemd.js";
import { writeWhole } from "../adapters/write-whole.js";
import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import type { Supervisor } from "./supervisor.js";

/** A host where systemd starts etcd with an environment file, as kubespray sets it up. */
export async function openUnit(name: string): Promise<Supervisor> {
  const unit = await showUnit(name);
  if (!unit.isLoaded) throw notLoaded(name);
  const path = await environmentFileOf(name, unit);
  const [program = "", ...words] = unit.command;
  const onCommandLine = flagsIn(words);
  const joining = [...onCommandLine.keys()].filter((flag) => flag.startsWith("initial-cluster"));
  if (joining.length > 0) throw shadowed(name, joining);
  const flags = new Map([...environmentFlags(await readFile(path, "utf8")), ...onCommandLine]);
  const configuration = etcdConfiguration(flags, await etcdVersion(program));
  if (configuration === undefined) throw incomplete(name, path);
  const beside = (what: string): string => join(dirname(path), `etcdcidr-${what}-${basename(path)}`);
  const mark = renderedMark(beside("rendered"));
  return {
    ...{ path, configuration, memory: { recycles: 0 } },
    exists: () => isThere(path),
    read: () => readFile(path, "utf8"),
    edit: editEtcdEnvironment,
    whyItRuns: async () => whyItRuns(name, await showUnit(name)),
    stop: () => stopUnit(name),
    async start(text, id) {
      if (id !== undefined) await mark.write(id);
      await writeWhole(path, text, { temporary: beside("new"), like: await stat(path) });
      await syncDirectory(dirname(path));
      await startUnit(name);
    },
    renderedFor: mark.read,
    backUp: (to) => copyFile(path, to),
  };
}

function whyItRuns(name: string, { activeState }: Unit): string | undefined {
  return ["inactive", "failed"].includes(activeState) ? undefined : `unit ${name} is ${activeState}`;
}

/** The one with etcd's variables. */
async function environmentFileOf(name: string, { environmentFiles }: Unit): Promise<string> {
  const withVariables: string[] = [];
  for (const path of environmentFiles) {
    // One that begins with a dash in the unit need not be there.
    const text = await readFile(path, "utf8").catch(() => "");
    if (environmentFlags(text).size > 0) withVariables.push(path);
  }
  const [path] = withVariables;
  if (path !== undefined && withVariables.length === 1) return path;
  throw cannotBeUsed(
    name,
    path === undefined
      ? `none of its environment files sets a variable of etcd: ${environmentFiles.join(", ") || "it has none"}`
      : `several of its environment files set variables of etcd: ${withVariables.join(", ")}`,
  );
}

function notLoaded(name: string): EtcdcidrError {
  return new EtcdcidrError("not-found", {
    what: `there is no unit ${name}`,
    why: "systemd has not loaded it",
    now: NOTHING_WRITTEN,
    next: "set etcd up on this host (kubespray's etcd.yml with this host in the group), or give its name with --unit",
  });
}

/** etcd ends where a flag and its variable are both set (pkg/flags, SetFlagsFromEnv). */
function shadowed(name: string, flags: readonly string[]): EtcdcidrError {
  const list = flags.map((flag) => `--${flag}`).join(", ");
  return cannotBeUsed(name, `its command line has ${list}, and etcd takes no variable beside the flag`);
}

function incomplete(name: string, path: string): EtcdcidrError {
  return cannotBeUsed(
    name,
    `ETCD_NAME, ETCD_DATA_DIR and ETCD_INITIAL_ADVERTISE_PEER_URLS are not all in ${path}`,
  );
}

function cannotBeUsed(name: string, why: string): EtcdcidrError {
  return new EtcdcidrError("refused", {
    what: `unit ${name} cannot be used to start the member`,
    why,
    now: NOTHING_WRITTEN,
    next: "correct the unit, or give --name, --peer-url and --data-dir and start etcd yourself",
  });
}

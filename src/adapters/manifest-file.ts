import { copyFile, open, readFile, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import { isThere, syncDirectory } from "./journal-directory.js";

/** A static Pod's manifest: the kubelet runs what lies in its directory, whatever its name, so all else lies beside it. */
export interface ManifestFile {
  readonly path: string;
  /** Whether the kubelet sees it. */
  isInPlace(): Promise<boolean>;
  /** In its place, or where `stop` has put it. Throws `not-found`. */
  read(): Promise<string>;
  /** Takes it out of its directory, so that the kubelet ends the Pod. */
  stop(): Promise<void>;
  /** Puts this text into its place, at once and whole; the id is that of the member it is rendered for. */
  place(text: string, renderedFor: bigint | undefined): Promise<void>;
  /** The member that it was last rendered for. */
  renderedFor(): Promise<bigint | undefined>;
  /** Copies what there is to another file. */
  backUp(to: string): Promise<void>;
}

export function manifestFile(path: string): ManifestFile {
  const directory = dirname(resolve(path));
  // The same file system, so that a rename does it.
  const beside = (what: string): string => join(dirname(directory), `etcdcidr-${what}-${basename(path)}`);
  const [stopped, rendered] = [beside("stopped"), beside("rendered")];
  const sync = async (): Promise<void> => {
    await syncDirectory(directory);
    await syncDirectory(dirname(directory));
  };
  const whereItIs = async (): Promise<string> => ((await isThere(path)) ? path : stopped);
  return {
    path,
    isInPlace: () => isThere(path),
    async read() {
      return readFile(await whereItIs(), "utf8").catch((cause: unknown) => {
        throw noManifest(path, cause);
      });
    },
    async stop() {
      if (!(await isThere(path))) return;
      await rename(path, stopped);
      await sync();
    },
    async place(text, id) {
      if (id !== undefined) await writeWhole(rendered, beside("new"), id.toString());
      await writeWhole(path, beside("new"), text, (await stat(await whereItIs())).mode);
      await rm(stopped, { force: true });
      await sync();
    },
    async renderedFor() {
      const text = await readFile(rendered, "utf8").catch(() => "");
      return /^\d+$/.test(text) ? BigInt(text) : undefined;
    },
    backUp: async (to) => copyFile(await whereItIs(), to),
  };
}

async function writeWhole(path: string, temporary: string, text: string, mode = 0o600): Promise<void> {
  await rm(temporary, { force: true });
  const file = await open(temporary, "wx", mode);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}

function noManifest(path: string, cause: unknown): EtcdcidrError {
  return new EtcdcidrError(
    "not-found",
    {
      what: `there is no manifest of etcd at ${path}`,
      why: cause instanceof Error ? cause.message : String(cause),
      now: NOTHING_WRITTEN,
      next: "make one (kubeadm init phase etcd local), or give --name, --peer-url and --data-dir and start etcd yourself",
    },
    { cause },
  );
}

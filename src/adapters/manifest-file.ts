import { copyFile, readFile, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import { isThere, syncDirectory } from "./journal-directory.js";
import { renderedMark } from "./rendered-mark.js";
import { writeWhole } from "./write-whole.js";

/** A static Pod's manifest: the kubelet runs what lies in its directory, whatever its name, so all else lies beside it. */
export interface ManifestFile {
  readonly path: string;
  /** Whether the kubelet sees it. */
  isInPlace(): Promise<boolean>;
  /** Whether there is one, in its place or where `stop` has put it. */
  exists(): Promise<boolean>;
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
  const stopped = beside("stopped");
  const mark = renderedMark(beside("rendered"));
  const sync = async (): Promise<void> => {
    await syncDirectory(directory);
    await syncDirectory(dirname(directory));
  };
  const whereItIs = async (): Promise<string> => ((await isThere(path)) ? path : stopped);
  return {
    path,
    isInPlace: () => isThere(path),
    exists: async () => isThere(await whereItIs()),
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
      if (id !== undefined) await mark.write(id);
      // kubeadm writes what only root can read.
      const like = await stat(await whereItIs()).catch(() => undefined);
      await writeWhole(path, text, { temporary: beside("new"), ...(like === undefined ? {} : { like }) });
      await rm(stopped, { force: true });
      await sync();
    },
    renderedFor: mark.read,
    backUp: async (to) => copyFile(await whereItIs(), to),
  };
}

function noManifest(path: string, cause: unknown): EtcdcidrError {
  return new EtcdcidrError(
    "not-found",
    {
      what: `there is no manifest of etcd at ${path}`,
      why: cause instanceof Error ? cause.message : String(cause),
      now: NOTHING_WRITTEN,
      next:
        "give a copy of a peer's with --manifest-from, --name and --peer-url, or make one (kubeadm init phase certs etcd-server, " +
        "kubeadm init phase certs etcd-peer, kubeadm init phase etcd local), or give --name, --peer-url and --data-dir and start etcd yourself",
    },
    { cause },
  );
}

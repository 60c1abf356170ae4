import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** An empty folder that goes when the test that asks for it has ended. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "etcdcidr-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Whether this user may mount a file system: root outside of a container that forbids it. */
export const canMount: boolean = mayMount();

function mayMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "etcdcidr-mount-"));
  const { status } = mountTmpfs(folder, 4096);
  if (status === 0) spawnSync("umount", [folder]);
  rmSync(folder, { recursive: true, force: true });
  return status === 0;
}

/** A file system of so many bytes, mounted in a folder that goes when the test has ended. Needs `canMount`. */
export function smallDisk(bytes: number): string {
  const folder = mkdtempSync(join(tmpdir(), "etcdcidr-disk-"));
  const { status, stderr } = mountTmpfs(folder, bytes);
  if (status !== 0) throw new Error(`cannot mount a tmpfs: ${stderr}`);
  onTestFinished(() => {
    spawnSync("umount", [folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** Whether `makeReadOnly` can do what it says: root writes whatever the mode of a folder is. */
export const canMakeReadOnly: boolean = canMount || process.getuid?.() !== 0;

/** A folder that cannot be written, not even by root, until the test has ended. Needs `canMakeReadOnly`. */
export function readOnlyFolder(): string {
  if (!canMount) {
    const folder = temporaryFolder();
    chmodSync(folder, 0o500);
    return folder;
  }
  const disk = smallDisk(64 * 1024);
  const { status, stderr } = spawnSync("mount", ["-o", "remount,ro", disk], { encoding: "utf8" });
  if (status !== 0) throw new Error(`cannot remount ${disk}: ${stderr}`);
  return disk;
}

function mountTmpfs(folder: string, bytes: number): { status: number | null; stderr: string } {
  return spawnSync("mount", ["-t", "tmpfs", "-o", `size=${bytes},mode=0700`, "tmpfs", folder], {
    encoding: "utf8",
  });
}

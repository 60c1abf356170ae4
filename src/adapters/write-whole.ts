import { open, rename, rm } from "node:fs/promises";

export interface FileOwner {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** Writes a file that is there at once and whole: beside it, on the same file system, and renamed. `like` has the mode and the owner. */
export async function writeWhole(
  path: string,
  text: string,
  { temporary, like }: { readonly temporary: string; readonly like?: FileOwner },
): Promise<void> {
  await rm(temporary, { force: true });
  const file = await open(temporary, "wx", 0o600);
  try {
    await file.writeFile(text);
    if (like !== undefined) {
      await file.chown(like.uid, like.gid);
      await file.chmod(like.mode);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}

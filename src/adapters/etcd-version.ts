import { execFile } from "node:child_process";
import { open } from "node:fs/promises";
import { promisify } from "node:util";

const ELF = Buffer.from("\x7fELF", "latin1");
const PATIENCE_MS = 5000;

/** The version of a program that is etcd itself, `3.6.16`; undefined for a script, which may do anything when it is run. */
export async function etcdVersion(program: string): Promise<string | undefined> {
  if (!(await isBinary(program))) return undefined;
  const { stdout } = await promisify(execFile)(program, ["--version"], { timeout: PATIENCE_MS });
  return /^etcd Version: (\d+\.\d+\.\d+)/m.exec(stdout)?.[1];
}

async function isBinary(path: string): Promise<boolean> {
  const file = await open(path, "r").catch(() => undefined);
  if (file === undefined) return false;
  try {
    const { buffer } = await file.read(Buffer.alloc(ELF.length), 0, ELF.length, 0);
    return buffer.equals(ELF);
  } finally {
    await file.close();
  }
}

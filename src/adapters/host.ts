import { homedir, hostname, userInfo } from "node:os";
import { join } from "node:path";

/** Who runs this, and where; written into journals. */
export function runBy(): { readonly host: string; readonly user: string } {
  return { host: hostname(), user: userInfo().username };
}

/** Where journals go unless `--journal-dir` says otherwise: /var/lib for root, else the XDG state directory. */
export function defaultJournalDirectory(environment: NodeJS.ProcessEnv): string {
  if (process.getuid?.() === 0) return "/var/lib/etcdcidr";
  return join(environment["XDG_STATE_HOME"] || join(homedir(), ".local", "state"), "etcdcidr");
}

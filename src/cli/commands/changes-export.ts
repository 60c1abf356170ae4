import type { GlobalOptions } from "../global-options.js";
import type { Io } from "../io.js";
import { journalStore } from "../session.js";

/** Carries a journal to another host, half one: into a file. */
export async function exportChange(
  changeId: string,
  path: string,
  options: GlobalOptions,
  io: Io,
): Promise<number> {
  await journalStore(options).exportTo(changeId, path);
  io.err(
    `the journal of ${changeId} is in ${path}; take it over on the other host with \`etcdcidr changes import\`\n`,
  );
  return 0;
}

/** Half two: out of the file. */
export async function importChange(path: string, options: GlobalOptions, io: Io): Promise<number> {
  const store = journalStore(options);
  const changeId = await store.importFrom(path);
  io.err(`the journal of ${changeId} is in ${store.directory} now\n`);
  return 0;
}

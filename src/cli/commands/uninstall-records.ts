import { thisHost } from "../../adapters/host.js";
import { EtcdcidrError, NOTHING_BY_THIS_RUN } from "../../errors.js";
import { type ChangeRecord, isOpen } from "../../plan/change-record.js";
import { OWN_PREFIX } from "../../plan/lock-holder.js";
import { underWay } from "../../run/lock.js";
import { readOwnKeys } from "../../run/own-keys.js";
import { listKeys, removeKeys } from "../../run/remove-keys.js";
import { confirmCount } from "../confirm.js";
import type { GlobalOptions } from "../global-options.js";
import type { Io } from "../io.js";
import { openSession } from "../session.js";

const UNFINISHED = "unfinished-change";

/** Removes what the tool keeps in etcd; the journals stay. */
export async function uninstallRecords(options: GlobalOptions, io: Io): Promise<number> {
  const session = await openSession(options, io);
  try {
    const keys = await listKeys(session.etcd, OWN_PREFIX);
    if (keys.length === 0) {
      io.err("nothing to do: etcdcidr keeps no keys in this etcd\n");
      return 0;
    }
    const { records, lock } = await readOwnKeys(session, thisHost());
    if (lock !== undefined) throw underWay(lock.holder, thisHost());
    refuseOpen(records, options);
    for (const { key } of keys) io.out(`${key}\n`);
    const question = `Remove these ${keys.length} keys from ${session.etcd.endpoint}`;
    await confirmCount({ question, count: keys.length, yes: options.yes, now: "nothing was removed" }, io);
    const removed = await removeKeys(session.etcd, keys);
    io.err(`${removed} of ${keys.length} keys removed; journals stay where they are\n`);
    return 0;
  } finally {
    session.close();
  }
}

function refuseOpen(records: readonly ChangeRecord[], { accept }: GlobalOptions): void {
  const [first] = records.filter(isOpen);
  if (first === undefined || accept.includes(UNFINISHED)) return;
  throw new EtcdcidrError("blocked", {
    what: "a change is not finished",
    why: `${first.id} of ${first.user}@${first.host} is ${first.state}; its record tells other hosts where its journal lies`,
    now: NOTHING_BY_THIS_RUN,
    next: `resume or roll it back first; or --accept ${UNFINISHED}`,
  });
}

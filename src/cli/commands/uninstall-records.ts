import { EtcdcidrError, NOTHING_WRITTEN } from "../../errors.js";
import { isOpen, LOCK_KEY, OWN_PREFIX } from "../../plan/lock-holder.js";
import { readChangeRecords } from "../../run/change-records.js";
import { listKeys, removeKeys } from "../../run/remove-keys.js";
import { confirmCount } from "../confirm.js";
import type { GlobalOptions } from "../global-options.js";
import type { Io } from "../io.js";
import { openSession, type Session } from "../session.js";

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
    if (keys.some(({ key }) => key === LOCK_KEY)) throw inUse();
    await refuseOpen(session, options);
    for (const { key } of keys) io.out(`${key}\n`);
    await confirmCount(
      `Remove these ${keys.length} keys from ${session.etcd.endpoint}`,
      keys.length,
      options.yes,
      io,
    );
    const removed = await removeKeys(session.etcd, keys);
    io.err(`${removed} of ${keys.length} keys removed; journals stay where they are\n`);
    return 0;
  } finally {
    session.close();
  }
}

async function refuseOpen({ etcd }: Session, { accept }: GlobalOptions): Promise<void> {
  const open = (await readChangeRecords(etcd)).filter(isOpen);
  const [first] = open;
  if (first === undefined || accept.includes(UNFINISHED)) return;
  throw new EtcdcidrError("blocked", {
    what: "a change is not finished",
    why: `${first.id} of ${first.user}@${first.host} is ${first.state}; its record tells other hosts where its journal lies`,
    now: NOTHING_WRITTEN,
    next: `resume or roll it back first; or --accept ${UNFINISHED}`,
  });
}

function inUse(): EtcdcidrError {
  return new EtcdcidrError("blocked", {
    what: "another run holds the lock",
    why: `there is a key ${LOCK_KEY}; it goes within 15 s after its run has ended`,
    now: NOTHING_WRITTEN,
    next: "wait until that run has ended, then run the command again",
  });
}

// Reads the pages, sends the Txns and reads back as etcdcidr does, but plans, checks and keeps nothing on disk.
import { behind, NODES, openClient } from "./client.mjs";

const PAGE_KEYS = 100;
const [clientUrl, mode] = process.argv.slice(2);
// One Node a Txn and 16 in flight; or 64 of them and 1 MiB at most, one Txn after the other.
const [operations, inFlight] = mode === "live" ? [1, 16] : [64, 1];

const client = openClient(clientUrl);
const nodes = await readAll();
const txns = Array.from({ length: Math.ceil(nodes.length / operations) }, (_, index) =>
  nodes.slice(index * operations, (index + 1) * operations),
);
const waiting = txns.values();
await Promise.all(Array.from({ length: inFlight }, sendAll));
await readAll();
client.close();

async function readAll() {
  const read = [];
  let range = NODES;
  for (let more = true; more; ) {
    const page = await client.kv.range({ ...range, limit: PAGE_KEYS });
    read.push(...page.kvs);
    range = behind(page.kvs.at(-1).key);
    more = page.more;
  }
  return read;
}

async function sendAll() {
  for (const txn of waiting) {
    const { succeeded } = await client.kv.txn({
      compare: txn.map(({ key, mod_revision }) => ({ target: "Mod", result: "Equal", key, mod_revision })),
      success: txn.map(({ key, value }) => ({ request_put: { key, value } })),
      failure: txn.map(({ key }) => ({ request_range: { key } })),
    });
    if (!succeeded) throw new Error("a compare was lost");
  }
}

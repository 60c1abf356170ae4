// The predecessor's way, as a process of its own: lists the Nodes, then gets and puts one after the other.
import { NODES, openClient } from "./client.mjs";

const client = openClient(process.argv[2]);
const { kvs } = await client.kv.range({ ...NODES, keys_only: true });
for (const { key } of kvs) {
  const { kvs: found } = await client.kv.range({ key });
  await client.kv.put({ key, value: found[0].value });
}
client.close();

import type { Etcd, RangeRequest } from "../ports.js";
import type { KeyValue } from "../storage/key-value.js";
import { nextTurn } from "./next-turn.js";

// 100 Nodes of 8 KB are 0.8 MB: what is on its way at a time costs memory, and the next page hides its latency anyway.
const PAGE_KEYS = 100;

/** Everything below a prefix that ends with a slash, in pages of one revision; the next page is fetched meanwhile. */
export async function* readPrefix(
  etcd: Etcd,
  prefix: string,
  { revision, keysOnly = false }: { readonly revision: bigint; readonly keysOnly?: boolean },
): AsyncGenerator<readonly KeyValue[]> {
  const rangeEnd = endOfPrefix(prefix);
  const request = (key: string): RangeRequest => ({ key, rangeEnd, revision, keysOnly, limit: PAGE_KEYS });
  let pending = etcd.range(request(prefix));
  for (;;) {
    const { keyValues, more } = await pending;
    const last = keyValues.at(-1);
    if (more && last !== undefined) {
      pending = etcd.range(request(`${last.key}\0`));
      // Awaited in the next round; until then a failure must not count as unhandled.
      pending.catch(() => undefined);
      await nextTurn();
    }
    yield keyValues;
    if (!more || last === undefined) return;
  }
}

/** The end of the range of all keys that begin with the prefix, whose last character is `/`. */
function endOfPrefix(prefix: string): string {
  return `${prefix.slice(0, -1)}0`;
}

import type { Etcd3 } from "etcd3";

/**
 * Tells of the first key of a range that is put at this revision or later, and of no other. It goes by etcd's stream itself: etcd3's watchers
 * reconnect behind one's back. A stream that ends early tells nothing, and so does one that is refused.
 */
export function watchPut(
  { watchClient }: Etcd3,
  range: { readonly key: Buffer; readonly rangeEnd: Buffer; readonly from: bigint },
  onPut: (key: string) => void,
): () => void {
  let stop = () => {};
  let isStopped = false;
  watchClient
    .watch()
    .then((stream) => {
      stop = () => stream.cancel();
      stream.on("error", () => undefined);
      if (isStopped) return stop();
      stream.on("data", ({ events }) => {
        const put = events.find(({ type }) => type === "Put");
        if (put === undefined || isStopped) return;
        isStopped = true;
        stop();
        onPut(put.kv.key.toString());
      });
      stream.write({
        create_request: {
          key: range.key,
          range_end: range.rangeEnd,
          start_revision: range.from.toString(),
          filters: ["Nodelete"],
        },
      });
    })
    .catch(() => undefined);
  return () => {
    isStopped = true;
    stop();
  };
}

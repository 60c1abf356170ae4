import { noop } from "cockatiel";
import { Etcd3 } from "etcd3";
import { obtainEtcd } from "../../scripts/etcd.mjs";
import { startEtcdServer } from "../../scripts/etcd-server.mjs";

/** A throw-away etcd of one member, a process on loopback. */
export interface EtcdServer {
  /** `127.0.0.1:PORT`, as `--endpoints` takes it. */
  readonly endpoint: string;
  /** `http://127.0.0.1:PORT`, or `https:` when the flags name a `--cert-file`. */
  readonly clientUrl: string;
  readonly pid: number;
  readonly dataDir: string;
  /** A blind put; returns its revision. */
  put(key: string, value: Uint8Array | string): Promise<bigint>;
  kill(signal: NodeJS.Signals): void;
  /** Ends the process, frozen or not, and removes its data. */
  stop(): Promise<void>;
}

const PUTS_PER_TXN = 128;
const BYTES_PER_TXN = 1 << 20;
const KEYS_PER_PAGE = 500;

/** Flags for an etcd that serves thousands of tests: the history of all of them fills the default quota of 2 GB. */
export const LONG_LIVED: readonly string[] = [
  "--quota-backend-bytes=8589934592",
  "--auto-compaction-mode=revision",
  "--auto-compaction-retention=10000",
];

/** Starts an etcd on free ports of loopback and returns when it is healthy. */
export async function startEtcd(options: { readonly flags?: readonly string[] } = {}): Promise<EtcdServer> {
  const { child, clientUrl, dataDir, stop } = await startEtcdServer({ binary: etcdBinary(), ...options });
  const client = openClient(clientUrl);
  return {
    endpoint: new URL(clientUrl).host,
    clientUrl,
    pid: Number(child.pid),
    dataDir,
    async put(key, value) {
      const answer = await client.kv.put({ key: Buffer.from(key), value: Buffer.from(value) });
      return BigInt(answer.header.revision);
    },
    kill(signal) {
      child.kill(signal);
    },
    async stop() {
      client.close();
      await stop();
    },
  };
}

let binary: string | undefined;
/** ETCD_BIN (which `npm test` sets), else what scripts/etcd.mjs finds or builds. */
export function etcdBinary(): string {
  binary ??= obtainEtcd({ prefer: "newest", say: () => {} }).path;
  return binary;
}

/** What etcd holds under one key. */
export interface DumpedValue {
  readonly value: Uint8Array;
  readonly modRevision: bigint;
  readonly createRevision: bigint;
}

/** Puts keys in their order, joined into Txns of at most 128 puts and about 1 MiB; a key may occur once. */
export async function fillEtcd(
  endpoint: string,
  keys: Iterable<{ readonly key: string; readonly value: Uint8Array }>,
): Promise<void> {
  const client = openClient(endpoint);
  try {
    for (const puts of batches(keys)) {
      await client.kv.txn({ compare: [], success: puts.map((put) => ({ request_put: put })), failure: [] });
    }
  } finally {
    client.close();
  }
}

function* batches(
  keys: Iterable<{ readonly key: string; readonly value: Uint8Array }>,
): Generator<{ key: Buffer; value: Buffer }[]> {
  let puts: { key: Buffer; value: Buffer }[] = [];
  let bytes = 0;
  for (const { key, value } of keys) {
    const size = key.length + value.length;
    if (puts.length === PUTS_PER_TXN || (puts.length > 0 && bytes + size > BYTES_PER_TXN)) {
      yield puts;
      puts = [];
      bytes = 0;
    }
    puts.push({ key: Buffer.from(key), value: Buffer.from(value) });
    bytes += size;
  }
  if (puts.length > 0) yield puts;
}

/** Everything etcd holds (or what has the prefix), in key order, at one revision. */
export async function dumpEtcd(endpoint: string, prefix = ""): Promise<Map<string, DumpedValue>> {
  const client = openClient(endpoint);
  const dump = new Map<string, DumpedValue>();
  try {
    let start = prefix === "" ? Buffer.from([0]) : Buffer.from(prefix);
    for (let revision = "0", more = true; more; ) {
      const page = await client.kv.range({
        key: start,
        range_end: endOf(prefix),
        limit: KEYS_PER_PAGE,
        revision,
      });
      for (const kv of page.kvs) {
        const [modRevision, createRevision] = [BigInt(kv.mod_revision), BigInt(kv.create_revision)];
        dump.set(kv.key.toString(), { value: kv.value, modRevision, createRevision });
        start = Buffer.concat([kv.key, Buffer.from([0])]);
      }
      revision = page.header.revision;
      more = page.more;
    }
  } finally {
    client.close();
  }
  return dump;
}

/** The end of the keys that begin with an ASCII prefix; etcd reads a single zero byte as "to the last key". */
function endOf(prefix: string): Buffer {
  if (prefix === "") return Buffer.from([0]);
  const end = Buffer.from(prefix);
  end.writeUInt8(end.readUInt8(end.length - 1) + 1, end.length - 1);
  return end;
}

/** An etcd3 client that answers once and truthfully: no retries, a deadline for every call, messages of any size. */
export function openClient(endpoint: string): Etcd3 {
  return new Etcd3({
    hosts: endpoint.includes("://") ? endpoint : `http://${endpoint}`,
    faultHandling: { host: () => noop, global: noop },
    defaultCallOptions: (context) => (context.isStream ? {} : { deadline: Date.now() + 20_000 }),
    grpcOptions: { "grpc.max_receive_message_length": -1, "grpc.enable_http_proxy": 0 },
  });
}

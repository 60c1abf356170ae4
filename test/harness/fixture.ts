import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** One key of a recorded cluster, as etcd held it. */
export interface FixtureKey {
  readonly key: string;
  readonly value: Uint8Array;
  readonly createRevision: bigint;
  readonly modRevision: bigint;
  readonly lease: bigint;
}

/** Every key of `test/golden/fixtures/<name>.jsonl.gz`, in key order. */
export function readFixture(name: string): FixtureKey[] {
  const file = new URL(`../golden/fixtures/${name}.jsonl.gz`, import.meta.url);
  const lines = gunzipSync(readFileSync(file)).toString("utf8").trimEnd().split("\n");
  return lines.map(parseLine);
}

function parseLine(line: string): FixtureKey {
  const row: Record<"key" | "value" | "createRevision" | "modRevision" | "lease", string> = JSON.parse(line);
  return {
    key: row.key,
    value: new Uint8Array(Buffer.from(row.value, "base64")),
    createRevision: BigInt(row.createRevision),
    modRevision: BigInt(row.modRevision),
    lease: BigInt(row.lease),
  };
}

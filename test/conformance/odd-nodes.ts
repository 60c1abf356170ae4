import { expect, onTestFinished, test, vi } from "vitest";
import { withFields } from "../harness/cluster.js";
import { dumpEtcd, openClient } from "../harness/etcd.js";
import { temporaryFolder } from "../harness/folder.js";
import { int } from "../harness/wire.js";
import { appendAt } from "./append.js";
import { type Bed, NODES, runOn } from "./bed.js";
import { expectToJoin } from "./joining.js";
import { CHANGE } from "./live-change.js";
import { blocksIn } from "./nodes.js";

const MERGE_PATCH = "application/merge-patch+json";
/** A field that no release of Kubernetes has. */
const UNKNOWN = int(15_000, 42);
const HEALED_WITHIN_MS = 30_000;
const [RAW, SPEC] = [2, 2];

/**
 * Stored Nodes that the API would never have written. Host bits and leading zeros are refused by a strict API server (gate
 * StrictIPCIDRValidation), two blocks of one family by every one.
 */
export function judgeOddNodes(bed: Bed, isStrict: boolean): void {
  test("blocks that the API server shows but refuses to write again are found by verify and put right by a change", async () => {
    await bed.refill();
    const { api } = bed.plane;
    const odd = {
      "node-0": { "spec.podCIDR": "10.112.200.0/24", "spec.podCIDRs": ["10.112.201.0/24"] },
      "node-1": fields("10.112.202.7/24"),
      "node-2": fields("010.112.203.0/24"),
      "node-3": fields("10.112.204.0/24", "10.112.205.0/24"),
      "node-4": fields("10.112.206.0/24"),
      "node-5": fields("10.112.206.0/24"),
    };
    for (const [name, values] of Object.entries(odd))
      await rewrite(bed, name, (value) => withFields(value, values));
    const refused = isStrict ? ["node-1", "node-2", "node-3"] : ["node-3"];
    const label = async (name: string) => {
      const body = { metadata: { labels: { written: "again" } } };
      return (await api.request("PATCH", `${NODES}/${name}`, body, MERGE_PATCH)).status;
    };
    expect(await Promise.all(refused.map(label))).toEqual(refused.map(() => 422));

    expect(await verified(bed, "10.112.0.0/16")).toEqual({
      "node-pair": "differs",
      "node-valid": "differs",
      "node-range": "ok",
      "node-overlap": "differs",
    });

    expect(await runOn(bed, temporaryFolder(), ...CHANGE)).toMatchObject({ exitCode: 0 });
    expect(await verified(bed, "10.212.0.0/16")).toEqual({
      "node-pair": "ok",
      "node-valid": "ok",
      "node-range": "ok",
      "node-overlap": "ok",
    });

    const names = Object.keys(odd);
    expect(await Promise.all(names.map(label))).toEqual(names.map(() => 200));
    const blocks = Object.values(blocksIn(await api.get(NODES)));
    expect(blocks.every(([block]) => /^10\.212\.\d+\.0\/23$/.test(block ?? ""))).toBe(true);
    expect(new Set(blocks.flat()).size).toBe(blocks.length);
    await expectToJoin(bed, "10.212.0.0/16", ["--node-cidr-mask-size=23"]);
  });

  test("a field that nobody knows stays through a change and a rollback, until the API itself writes the Node", async () => {
    await bed.refill();
    const name = "node-7";
    await rewrite(bed, name, (value) => appendAt(value, [RAW, SPEC], UNKNOWN));
    const before = await readStored(bed, name);
    const journals = temporaryFolder();

    expect(await runOn(bed, journals, ...CHANGE)).toMatchObject({ exitCode: 0 });
    const changed = await readStored(bed, name);
    expect(changed.includes(UNKNOWN)).toBe(true);
    expect(await runOn(bed, journals, "rollback", "--yes")).toMatchObject({ exitCode: 0 });
    expect(await readStored(bed, name)).toEqual(before);

    await bed.plane.api.patch(`${NODES}/${name}`, { metadata: { labels: { written: "again" } } });
    expect((await readStored(bed, name)).includes(UNKNOWN)).toBe(false);
  });

  test("a Node cut to half its bytes is refused by name, and heals when a journal's bytes are put back", async () => {
    await bed.refill();
    const { api } = bed.plane;
    const name = "node-9";
    const journals = temporaryFolder();
    const before = blocksIn(await api.get(NODES));
    expect(await runOn(bed, journals, ...CHANGE)).toMatchObject({ exitCode: 0 });
    await rewrite(bed, name, (value) => value.subarray(0, value.length / 2));
    expect(await api.request("GET", NODES)).toMatchObject({ status: 500 });
    expect(await api.request("GET", `${NODES}?resourceVersion=0`)).toMatchObject({ status: 200 });

    const run = await runOn(bed, journals, "rollback", "--yes");
    expect(run).toMatchObject({ exitCode: 3 });
    expect(run.stdout + run.stderr).toContain(`1 value cannot be read: /registry/minions/${name}`);

    const restoring = ["rollback", "--restore-unreadable", `/registry/minions/${name}`, "--yes"];
    expect(await runOn(bed, journals, ...restoring)).toMatchObject({ exitCode: 0 });
    const heals = async () => (await api.request("GET", NODES)).status === 200;
    await vi.waitUntil(heals, { timeout: HEALED_WITHIN_MS, interval: 100 });
    expect(blocksIn(await api.get(NODES))[name]).toEqual(before[name]);
    expect(await runOn(bed, journals, "rollback", "--yes")).toMatchObject({ exitCode: 0 });
    expect(blocksIn(await api.get(NODES))).toEqual(before);
  });

  test("Nodes that are encrypted at rest are refused by name, and nothing is written", async () => {
    await bed.refill();
    const { plane } = bed;
    const before = blocksIn(await plane.api.get(NODES));
    await plane.restartApiServer("aescbc");
    onTestFinished(async () => {
      await bed.refill();
      await plane.restartApiServer();
    });
    await plane.api.patch(`${NODES}/node-3`, { metadata: { labels: { written: "again" } } });

    const run = await runOn(bed, temporaryFolder(), ...CHANGE);
    expect(run).toMatchObject({ exitCode: 3 });
    expect(run.stdout + run.stderr).toContain("1 value cannot be read: /registry/minions/node-3");
    expect(run.stdout + run.stderr).toContain("encrypted at rest");
    expect(blocksIn(await plane.api.get(NODES))).toEqual(before);
  });
}

function fields(...blocks: readonly string[]): Readonly<Record<string, string | readonly string[]>> {
  return { "spec.podCIDR": blocks[0] ?? "", "spec.podCIDRs": blocks };
}

/** What verify says of the Nodes. */
async function verified(bed: Bed, podCidr: string): Promise<Readonly<Record<string, string>>> {
  const { stdout } = await runOn(bed, temporaryFolder(), "verify", "--pod-cidr", podCidr, "-o", "json");
  const { checks } = JSON.parse(stdout) as { checks: { check: string; result: string }[] };
  const ofNodes = checks.filter(({ check }) => check.startsWith("node-"));
  return Object.fromEntries(ofNodes.map(({ check, result }) => [check, result]));
}

async function readStored({ plane }: Bed, name: string): Promise<Buffer> {
  const [stored] = (await dumpEtcd(plane.storeUrl, `/registry/minions/${name}`)).values();
  return Buffer.from(stored?.value ?? []);
}

async function rewrite(bed: Bed, name: string, how: (value: Buffer) => Uint8Array): Promise<void> {
  const value = Buffer.from(how(await readStored(bed, name)));
  const client = openClient(bed.plane.storeUrl);
  await client.put(`/registry/minions/${name}`).value(value);
  client.close();
}

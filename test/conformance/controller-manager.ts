import { expect, test, vi } from "vitest";
import type { Component } from "../../scripts/control-plane/control-plane.mjs";
import { createNodes, nodesWithBlocks } from "../../scripts/control-plane/nodes.mjs";
import { temporaryFolder } from "../harness/folder.js";
import { type Bed, NODES, runOn } from "./bed.js";
import { CHANGE } from "./live-change.js";
import { blocksIn, blocksOf, movedBlocks } from "./nodes.js";

const NEW_RANGE = "10.212.0.0/16";
const NEW_MASK = ["--node-cidr-mask-size=23"];
const LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager";
const LEASE_WITHIN_MS = 30_000;
const BLOCK_WITHIN_MS = 30_000;
const REFUSED =
  /failed to mark cidr\[(\S+)\] at idx \[0\] as occupied for node: (\S+?): cidr \S+ is out the range of cluster cidr (\S+?)["\\ ,]/;

/** Whether kube-controller-manager starts, and what it gives to Nodes that join. */
export function judgeControllerManager(bed: Bed, oldRange: string): void {
  test("after a change it exits with the old flags, gives free blocks with the new ones, and starts with the old ones after a rollback", async () => {
    await bed.refill();
    const { plane } = bed;
    const before = await plane.api.get(NODES);
    const journals = temporaryFolder();
    const old = await plane.startControllerManager(oldRange);
    await vi.waitUntil(async () => (await plane.api.request("GET", LEASE)).status === 200, {
      timeout: LEASE_WITHIN_MS,
    });
    const change = await runOn(bed, journals, ...CHANGE);
    expect(change).toMatchObject({ exitCode: 0 });
    expect(change.stdout).toContain("it exits at its next start if a Node is outside its --cluster-cidr");
    await old.stop();

    const refused = await plane.startControllerManager(oldRange);
    expect(await refused.ended).toBe(1);
    const [, block, node, range] = REFUSED.exec(refused.log()) ?? [];
    const moved = movedBlocks(blocksIn(before));
    expect([[block], range]).toEqual([moved[node ?? ""], oldRange]);

    const started = await plane.startControllerManager(NEW_RANGE, NEW_MASK);
    await join(bed, started, "joined-1");
    const joined = blocksIn(await plane.api.get(NODES));
    expect({ ...joined, "joined-1": [] }).toEqual({ ...moved, "joined-1": [] });
    expect(joined["joined-1"]?.[0]).toMatch(/^10\.212\.\d+\.0\/23$/);
    expect(duplicatesIn(joined)).toEqual([]);
    await started.stop();

    expect(await runOn(bed, journals, "rollback", "--yes")).toMatchObject({ exitCode: 0 });

    const back = await plane.startControllerManager(oldRange);
    await join(bed, back, "joined-2");
    const after = await plane.api.get(NODES);
    const blocks = blocksIn(after);
    expect(duplicatesIn(blocks)).toEqual([]);
    for (const name of ["joined-1", "joined-2"]) expect(blocks[name]?.[0]).toMatch(/^10\.112\.\d+\.0\/24$/);
    const first = new Set(before.items.map(nameOf));
    expect(after.items.filter((node: Named) => first.has(nameOf(node))).map(withoutBookkeeping)).toEqual(
      before.items.map(withoutBookkeeping),
    );
    await back.stop();
  });

  test("with the new flags it exits while one Node is still old, the one that the closing list names", async () => {
    await bed.refill();
    const { plane } = bed;
    const names: string[] = (await plane.api.get(NODES)).items.map(nameOf);
    const left = "node-7";
    const others = names.filter((name) => name !== left).map((name) => `--node=${name}`);

    const change = await runOn(bed, temporaryFolder(), ...CHANGE, ...others);
    expect(change).toMatchObject({ exitCode: 0 });
    expect(change.stdout + change.stderr).toContain(
      `do not start it with these flags yet: it exits while a Node is outside its range, and ${left} has other blocks`,
    );

    const refused = await plane.startControllerManager(NEW_RANGE, NEW_MASK);
    expect(await refused.ended).toBe(1);
    const [, block, node, range] = REFUSED.exec(refused.log()) ?? [];
    expect([[block], node, range]).toEqual([
      blocksOf(await plane.api.get(`${NODES}/${left}`)),
      left,
      NEW_RANGE,
    ]);
  });
}

interface Named {
  readonly metadata: { readonly name: string };
}

const nameOf = ({ metadata }: Named): string => metadata.name;

/** Has a Node join and waits until kube-controller-manager has given it a block. */
async function join({ plane }: Bed, manager: Component, name: string): Promise<void> {
  await createNodes(plane.api, [{ name }]);
  await nodesWithBlocks(plane.api, BLOCK_WITHIN_MS);
  expect(manager.isRunning()).toBe(true);
}

function duplicatesIn(blocks: ReturnType<typeof blocksIn>): readonly string[] {
  const all = Object.values(blocks).flat();
  return all.filter((block, index) => all.indexOf(block) !== index);
}

/** Less what the API server keeps of each write. */
function withoutBookkeeping({ metadata, ...node }: { readonly metadata: object }): object {
  return { ...node, metadata: { ...metadata, resourceVersion: undefined, managedFields: undefined } };
}

import { expect, test, vi } from "vitest";
import { temporaryFolder } from "../harness/folder.js";
import { type Bed, NODES, runOn, startManager } from "./bed.js";
import { expectToJoin } from "./joining.js";
import { CHANGE } from "./live-change.js";
import { blocksIn, blocksOf, movedBlocks } from "./nodes.js";

const NEW_RANGE = "10.212.0.0/16";
const NEW_MASK = ["--node-cidr-mask-size=23"];
const LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager";
const LEASE_WITHIN_MS = 30_000;
const REFUSED =
  /failed to mark cidr\[(\S+)\] at idx \[0\] as occupied for node: (\S+?): cidr \S+ is out the range of cluster cidr (\S+?)["\\ ,]/;

/** Whether kube-controller-manager starts, and what it gives to Nodes that join. */
export function judgeControllerManager(bed: Bed, oldRange: string): void {
  test("after a change it exits with the old flags, gives free blocks with the new ones, and starts with the old ones after a rollback", async () => {
    await bed.refill();
    const { plane } = bed;
    const before = await plane.api.get(NODES);
    const journals = temporaryFolder();
    const old = await startManager(bed, oldRange);
    await vi.waitUntil(async () => (await plane.api.request("GET", LEASE)).status === 200, {
      timeout: LEASE_WITHIN_MS,
    });
    const change = await runOn(bed, journals, ...CHANGE);
    expect(change).toMatchObject({ exitCode: 0 });
    expect(change.stdout).toContain("it exits at its next start if a Node is outside its --cluster-cidr");
    await old.stop();

    const refused = await startManager(bed, oldRange);
    expect(await refused.ended).toBe(1);
    const [, block, node, range] = REFUSED.exec(refused.log()) ?? [];
    const moved = movedBlocks(blocksIn(before));
    expect([[block], range]).toEqual([moved[node ?? ""], oldRange]);

    const joined = await expectToJoin(bed, NEW_RANGE, NEW_MASK, "joined-1");
    expect({ ...joined, "joined-1": [] }).toEqual({ ...moved, "joined-1": [] });

    expect(await runOn(bed, journals, "rollback", "--yes")).toMatchObject({ exitCode: 0 });

    const blocks = await expectToJoin(bed, oldRange, [], "joined-2");
    expect(blocks["joined-1"]?.[0]).toMatch(/^10\.112\.\d+\.0\/24$/);
    const after = await plane.api.get(NODES);
    const first = new Set(before.items.map(nameOf));
    expect(after.items.filter((node: Named) => first.has(nameOf(node))).map(withoutBookkeeping)).toEqual(
      before.items.map(withoutBookkeeping),
    );
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

    const refused = await startManager(bed, NEW_RANGE, NEW_MASK);
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

/** Less what the API server keeps of each write. */
function withoutBookkeeping({ metadata, ...node }: { readonly metadata: object }): object {
  return { ...node, metadata: { ...metadata, resourceVersion: undefined, managedFields: undefined } };
}

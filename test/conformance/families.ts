import { expect, test } from "vitest";
import { temporaryFolder } from "../harness/folder.js";
import { type Bed, NODES, runOn } from "./bed.js";
import { expectToJoin } from "./joining.js";
import { type Blocks, blocksIn } from "./nodes.js";

const OLD = { v4: "10.112.0.0/16", v6: "fd00:10:112::/48" };
const NEW = { v4: "10.212.0.0/16", v6: "fd00:10:212::/48" };
const COUNT = 5;

/** Node `node-3` has the block with index 3 of each range. */
function nodesIn(...ranges: readonly string[]): Blocks {
  const blockOf = (range: string, index: number) =>
    range.includes(":")
      ? range.replace("::/48", index === 0 ? "::/64" : `:${index}::/64`)
      : range.replace("0.0/16", `${index}.0/24`);
  const indexes = Array.from({ length: COUNT }, (_, index) => index);
  return Object.fromEntries(
    indexes.map((index) => [`node-${index}`, ranges.map((range) => blockOf(range, index))]),
  );
}

/** IPv4 and IPv6, changed together and one by one; what kube-controller-manager has to be started with; and the way back. */
export function judgeFamilies(bed: Bed): void {
  test.each([
    {
      what: "both families change",
      from: [OLD.v4, OLD.v6],
      argv: [`${NEW.v4},${NEW.v6}`],
      to: [NEW.v4, NEW.v6],
    },
    { what: "IPv4 alone changes", from: [OLD.v4, OLD.v6], argv: [NEW.v4], to: [NEW.v4, OLD.v6] },
    { what: "IPv6 alone changes", from: [OLD.v4, OLD.v6], argv: [NEW.v6], to: [OLD.v4, NEW.v6] },
    { what: "IPv6 is added", from: [OLD.v4], argv: [NEW.v6, "--add-family"], to: [OLD.v4, NEW.v6] },
  ])("$what", async ({ from, argv, to }) => {
    const { plane } = bed;
    const before = nodesIn(...from);
    await bed.refillWith(Object.entries(before).map(([name, blocks]) => ({ name, blocks })));
    const journals = temporaryFolder();

    expect(await runOn(bed, journals, "change-pod-cidr", ...argv, "--yes")).toMatchObject({ exitCode: 0 });
    await labelEach(bed);
    expect(blocksIn(await plane.api.get(NODES))).toEqual(nodesIn(...to));
    await expectToJoin(bed, to.join(","));
    await plane.api.remove(`${NODES}/joined`);

    expect(await runOn(bed, journals, "rollback", "--yes")).toMatchObject({ exitCode: 0 });
    await labelEach(bed);
    expect(blocksIn(await plane.api.get(NODES))).toEqual(before);
    await expectToJoin(bed, from.join(","));
  });
}

/** A write of the spec, which the API server validates whole. */
async function labelEach({ plane }: Bed): Promise<void> {
  for (const { metadata } of (await plane.api.get(NODES)).items)
    await plane.api.patch(`${NODES}/${metadata.name}`, {
      metadata: { labels: { written: metadata.resourceVersion } },
    });
}

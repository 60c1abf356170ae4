import { expect, test } from "vitest";
import { dumpEtcd } from "../harness/etcd.js";
import { temporaryFolder } from "../harness/folder.js";
import { NODES, runOn, startOn, useBed } from "./bed.js";
import { expectToJoin } from "./joining.js";
import { blocksIn, movedBlocks, readEach } from "./nodes.js";

const OLD_RANGE = "10.112.0.0/16";
const NEW_RANGE = "10.212.0.0/16";
const MASK = "--node-cidr-mask-size=23";
const CHANGE = ["change-pod-cidr", NEW_RANGE, MASK, "--yes"];
const MINIONS = "/registry/minions/";

/** kine over sqlite in the place of etcd: one key a Txn, no leases. Each test ends with the Nodes as they were at first. */
const bed = useBed({ minor: "1.36", store: "kine", nodes: 100, clusterCidr: OLD_RANGE });

test("the API shows a change and its rollback, and the stored bytes are back", async () => {
  const { api, storeUrl } = bed.plane;
  const before = blocksIn(await api.get(NODES));
  const stored = await valuesOf(storeUrl);
  const journals = temporaryFolder();

  expect(await runOn(bed, journals, ...CHANGE)).toMatchObject({ exitCode: 0 });
  expect(await readEach(api, Object.keys(before))).toEqual(movedBlocks(before));
  expect(blocksIn(await api.get(NODES))).toEqual(movedBlocks(before));

  expect(await runOn(bed, journals, "rollback", "--yes")).toMatchObject({ exitCode: 0 });
  expect(blocksIn(await api.get(NODES))).toEqual(before);
  expect(await valuesOf(storeUrl)).toEqual(stored);
});

test("killed in the middle, resumed, and rolled back", async () => {
  const { api } = bed.plane;
  const before = blocksIn(await api.get(NODES));
  const journals = temporaryFolder();
  await killInTheMiddle(journals);

  expect(await runOn(bed, journals, "resume", "--yes")).toMatchObject({ exitCode: 0 });
  expect(await readEach(api, Object.keys(before))).toEqual(movedBlocks(before));
  const joined = await expectToJoin(bed, NEW_RANGE, [MASK]);
  expect(joined).toEqual({ ...movedBlocks(before), joined: joined["joined"] });
  await api.remove(`${NODES}/joined`);

  expect(await runOn(bed, journals, "rollback", "--yes")).toMatchObject({ exitCode: 0 });
  expect(await readEach(api, Object.keys(before))).toEqual(before);
});

test("killed in the middle, and rolled back", async () => {
  const { api } = bed.plane;
  const before = blocksIn(await api.get(NODES));
  const journals = temporaryFolder();
  await killInTheMiddle(journals);

  expect(await runOn(bed, journals, "rollback", "--yes")).toMatchObject({ exitCode: 0 });
  expect(await readEach(api, Object.keys(before))).toEqual(before);
  await expectToJoin(bed, OLD_RANGE);
  await api.remove(`${NODES}/joined`);
});

/** With kill -9, when a part of the Nodes is written. */
async function killInTheMiddle(journals: string): Promise<void> {
  const { api } = bed.plane;
  const before = blocksIn(await api.get(NODES));
  const goal = movedBlocks(before);
  const run = startOn(bed, journals, ...CHANGE);
  await run.said(" of 100 Nodes");
  run.child.kill("SIGKILL");
  expect(await run.ended).toBe("SIGKILL");
  const half = await readEach(api, Object.keys(before));
  const written = Object.keys(half).filter((name) => half[name]?.[0] === goal[name]?.[0]);
  expect(written.length).toBeGreaterThan(0);
  expect(written.length).toBeLessThan(100);
  expect(half).toEqual({ ...before, ...Object.fromEntries(written.map((name) => [name, goal[name]])) });
}

async function valuesOf(storeUrl: string): Promise<Record<string, string>> {
  const stored = await dumpEtcd(storeUrl, MINIONS);
  return Object.fromEntries([...stored].map(([key, { value }]) => [key, Buffer.from(value).toString("hex")]));
}

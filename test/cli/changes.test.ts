import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { CHANGE, changesIn, forgetOwnKeys, openScene, runnerOf, type Scene } from "../crash/scene.js";
import { live } from "../harness/crash.js";
import { type EtcdServer, startEtcd } from "../harness/etcd.js";

let server: EtcdServer;
beforeAll(async () => {
  server = await startEtcd();
});
afterAll(() => server.stop());
beforeEach(() => forgetOwnKeys(server.endpoint));

const journalOf = ({ directory }: Scene, id: string) => join(directory, id, "journal.jsonl");
const rows = (out: string): readonly Record<string, unknown>[] => JSON.parse(out);

/** Three changes one after the other. */
async function threeChanges(): Promise<{ scene: Scene; ids: readonly string[] }> {
  const scene = await openScene(server.endpoint, "in flight", 5);
  const ids: string[] = [];
  for (const range of ["10.212.0.0/16", "10.213.0.0/16", "10.214.0.0/16"]) {
    expect((await scene.run(CHANGE.with(1, range))).exitCode).toBe(0);
    ids.push(...changesIn(scene.directory).filter((id) => !ids.includes(id)));
  }
  return { scene, ids };
}

describe("a damaged journal", () => {
  test("is listed with its fault, and hides no other; exit 3", async () => {
    const { scene, ids } = await threeChanges();
    const path = journalOf(scene, ids[1] ?? "");
    writeFileSync(path, readFileSync(path, "utf8").replace("10.213.0.0/25", "10.213.0.0/26"));
    const json = await scene.run(["changes", "-o", "json"]);
    expect(json.exitCode).toBe(3);
    const fault = expect.stringMatching(/^line \d+ is not as it was written$/);
    expect(rows(json.out)).toMatchObject([
      { id: ids[0], state: "done" },
      { id: ids[1], state: "damaged", fault, operation: "change-pod-cidr", here: true },
      { id: ids[2], state: "done" },
    ]);
    const { out, err } = await scene.run(["changes"]);
    expect(out).toMatch(new RegExp(`^${ids[1]} .* line \\d+ is not as it was written +damaged +`, "m"));
    expect(err).toContain(`error[journal-damaged]: cannot trust the journal ${path}\n`);
    expect(err).toContain(
      "now:  this run has written nothing; how far the journal's change has come is not known\n",
    );
  });

  test("of which nothing is known but its name is in its place all the same", async () => {
    const { scene, ids } = await threeChanges();
    await forgetOwnKeys(server.endpoint);
    writeFileSync(journalOf(scene, ids[0] ?? ""), "no journal\n");
    const { out } = await scene.run(["changes", "-o", "json"]);
    expect(rows(out)[0]).toEqual({
      id: ids[0],
      state: "damaged",
      journal: join(scene.directory, ids[0] ?? ""),
      here: true,
      fault: "line 1 is not as it was written",
    });
  });

  test("with a torn last line is none", async () => {
    const { scene, ids } = await threeChanges();
    appendFileSync(journalOf(scene, ids[2] ?? ""), '{"sum":"01');
    const { exitCode, out } = await scene.run(["changes", "-o", "json"]);
    expect([exitCode, rows(out).map(({ state }) => state)]).toEqual([0, ["done", "done", "done"]]);
  });
});

describe("which cluster", () => {
  test("a change of another one than that which is reached is marked", async () => {
    const scene = await openScene(server.endpoint, "in flight", 5);
    await scene.run(CHANGE);
    const other = await startEtcd();
    onTestFinished(() => other.stop());
    const elsewhere = await openScene(other.endpoint, "in flight", 5);
    const there = runnerOf(elsewhere.cluster, scene.directory);
    const json = await there(["changes", "-o", "json"]);
    expect([json.exitCode, rows(json.out)]).toMatchObject([0, [{ state: "done", ofThisCluster: false }]]);
    expect((await there(["changes"])).out).toMatch(/ here, of another cluster\n$/);
    expect(rows((await scene.run(["changes", "-o", "json"])).out)).toMatchObject([{ ofThisCluster: true }]);
  });

  test("cannot be known where no etcd answers: the journals are listed, exit 3", async () => {
    const scene = await openScene(server.endpoint, "in flight", 5);
    await scene.run(CHANGE);
    const { exitCode, out, err } = await live([
      "changes",
      ...["-o", "json", "--endpoints", "127.0.0.1:1", "--journal-dir", scene.directory],
    ]);
    expect(exitCode).toBe(3);
    expect(rows(out)).toMatchObject([{ state: "done", nodes: 5 }]);
    expect(rows(out)[0]).not.toHaveProperty("ofThisCluster");
    expect(err).toContain("error[unreachable]: what is recorded in etcd could not be read\n");
    expect(err).toContain(
      "now:  what is listed is what the journals on this host tell; a change may be running, and other hosts may have made some\n",
    );
  });
});

import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type EtcdServer, startEtcd } from "../harness/etcd.js";
import { cutsOf, expectGoesOn, expectReadable, expectWayOn, losePower, POWER_GOES } from "./power-loss.js";

let server: EtcdServer;
beforeAll(async () => {
  server = await startEtcd();
});
afterAll(() => server.stop());

describe.each(POWER_GOES)("the power goes after $after", ({ killAfter }) => {
  const life = { killAfter, unsynced: "kept" } as const;

  test("a journal cut in its last two records tells what its whole lines tell, and is gone on with behind them", async () => {
    const { tail } = await losePower(server.endpoint, life);
    await expectReadable(tail, cutsOf(tail, Math.ceil(tail.lastTwo / 400)));
    for (const length of cutsOf(tail, Math.ceil(tail.lastTwo / 10))) {
      expect((await expectGoesOn(tail, tail.length - length))?.hosts.has("kube-9")).toBe(length > 0);
    }
  });

  // Every byte of the last two records in the long test.
  test.each([1, 250])("%i bytes less: resumed and rolled back", async (cut) => {
    const { tail } = await losePower(server.endpoint, life);
    await expectWayOn(server.endpoint, life, Math.min(cut, tail.length - tail.synced));
  });
});

test("damage before the last line is refused by every command that reads the journal, naming file and line", async () => {
  const { scene, tail } = await losePower(server.endpoint, { killAfter: 16, unsynced: "kept" });
  const text = readFileSync(tail.path, "utf8");
  const lines = text.split("\n");
  const before = await scene.nodes();
  const commands = [
    ["resume", "--yes"],
    ["rollback", "--yes"],
    ["changes"],
    ["change-pod-cidr", "10.213.0.0/16", "--yes"],
  ];
  for (const at of [0, 2, 5, lines.length - 2]) {
    const line = lines[at] ?? "";
    const other = `${line.slice(0, 40)}${line[40] === "x" ? "y" : "x"}${line.slice(41)}`;
    writeFileSync(tail.path, lines.with(at, other).join("\n"));
    for (const command of commands) {
      const { exitCode, err } = await scene.run(command);
      expect(exitCode).toBe(3);
      expect(err).toContain(`error[journal-damaged]: cannot trust the journal ${tail.path}\n`);
      expect(err).toContain(`why:  line ${at + 1} is not as it was written\n`);
    }
  }
  expect(await scene.nodes()).toEqual(before);
});

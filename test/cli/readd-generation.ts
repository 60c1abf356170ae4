import { expect, test } from "vitest";
import { runCli } from "../harness/cli.js";
import { loseMember } from "../harness/returning-member.js";
import { countWritten, health, memberAdd, memberRemove, startAndLose, writeOn } from "./readd-scene.js";

const BACK = { healthy: true, voters: ["m0 voter", "m1 voter", "m2 voter"] };

/** The walks of a member of another generation of etcd, which ETCD_BIN names; its version is `3.7.3`. */
export function bringsBack(version: string): void {
  test("a member comes back, while somebody writes", async () => {
    const member = await loseMember(3);
    member.loseData();
    const stopWriting = writeOn(member.endpoints[0] ?? "");
    const { exitCode } = await member.readd();
    const written = await stopWriting();
    expect(exitCode).toBe(0);
    expect(await health(member)).toEqual(BACK);
    expect(await countWritten(member.endpoints[1] ?? "")).toBe(written);
    const { out } = await runCli(["members", "--endpoints", member.endpoints.join(","), "-o", "json"]);
    const versions = JSON.parse(out).members.map(
      ({ status }: { status: { version: string } }) => status.version,
    );
    expect(versions).toEqual([version, version, version]);
  });

  test("with its data kept", async () => {
    const member = await loseMember(3);
    const run = member.readd();
    await member.start();
    expect((await run).exitCode).toBe(0);
    expect(await health(member)).toEqual(BACK);
  });

  test("added already and never started", async () => {
    const member = await loseMember(3);
    member.loseData();
    await memberRemove(member);
    await memberAdd(member);
    expect((await member.readd()).exitCode).toBe(0);
    expect(await health(member)).toEqual(BACK);
  });

  test("killed after every step", async () => {
    const member = await loseMember(3);
    await memberRemove(member);
    await startAndLose(member);
    for (const text of ["remove: done\n", "archive: done\n", "add: done\n", "waiting until etcd is started"])
      expect(await member.readdUntil(text)).toBe(true);
    expect((await member.readd()).exitCode).toBe(0);
    expect(await health(member)).toEqual(BACK);
  });
}

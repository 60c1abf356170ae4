import { readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { runCli } from "../harness/cli.js";
import { startEtcd } from "../harness/etcd.js";
import { temporaryFolder } from "../harness/folder.js";
import { loseMember, type ReturningMember, returningMember } from "../harness/returning-member.js";
import { countWritten, FOUR_LINES, health, writeOn } from "./readd-scene.js";

describe("a member of three comes back", () => {
  test("whose data are lost, while somebody writes", async () => {
    const member = await loseMember(3);
    member.loseData();
    const stopWriting = writeOn(member.endpoints[0] ?? "");
    const { out, err, exitCode } = await member.readd("--print-env");
    const written = await stopWriting();
    expect(err).toContain("m2 is back as a voter; 3 voters hold the same keys");
    expect(exitCode).toBe(0);
    expect(out).toMatch(FOUR_LINES);
    expect(await health(member)).toEqual({ healthy: true, voters: ["m0 voter", "m1 voter", "m2 voter"] });
    expect(written).toBeGreaterThan(0);
    expect(await countWritten(member.endpoints[1] ?? "")).toBe(written);
    const [record = "", snapshot = ""] = readdirSync(member.journals).sort();
    expect(snapshot).toMatch(/^\d{8}T\d{6}Z-member-readd\.snapshot$/);
    const types = readFileSync(join(member.journals, record), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).type);
    expect([types[0], types.at(-1)]).toEqual(["begin", "end"]);
  });
});

describe("nothing is changed", () => {
  async function refused(member: ReturningMember, code: string, ...more: readonly string[]): Promise<void> {
    const listed = async () => (await health(member)).voters;
    const before = await listed();
    const { err, exitCode, out } = await member.readd(...more);
    expect(err).toContain(`error[blocked]: this member is not brought back: ${code}\n`);
    expect([exitCode, out]).toEqual([3, ""]);
    expect(await listed()).toEqual(before);
  }

  test("where etcd still runs here", async () => {
    const member = await loseMember(3);
    await member.start();
    const elsewhere = returningMember(member.cluster, {
      ...member,
      dataDir: join(temporaryFolder(), "data"),
    });
    await vi.waitUntil(async () => (await health(member)).healthy, { timeout: 20_000 });
    await refused(elsewhere, "process-running, target-alive, no-spare");
  });

  test("where the data are another cluster's", async () => {
    const member = await loseMember(3);
    const foreign = await startEtcd();
    foreign.kill("SIGKILL");
    await refused(returningMember(member.cluster, { ...member, dataDir: foreign.dataDir }), "foreign-data");
    await foreign.stop();
  });

  test("where the data directory is a symbolic link", async () => {
    const member = await loseMember(3);
    const link = join(temporaryFolder(), "link");
    symlinkSync(member.dataDir, link);
    await refused(returningMember(member.cluster, { ...member, dataDir: link }), "data-unreadable");
  });

  test("where the quorum is lost", async () => {
    const member = await loseMember(3);
    member.cluster.members[1]?.kill("SIGKILL");
    await vi.waitUntil(async () => !(await health(member)).healthy, { timeout: 20_000 });
    const { err, exitCode } = await member.readd("--command-timeout", "1s");
    expect(exitCode).toBe(3);
    expect(err).toContain("why:  no quorum: 1 of 3 voters answers, 2 are needed; silent: m1, m2\n");
  });

  test("by a dry run, which shows the way", async () => {
    const member = await loseMember(3);
    member.loseData();
    const { out, exitCode } = await member.readd("--dry-run");
    expect(exitCode).toBe(0);
    expect(out).toContain("state    S6 listed, data lost\n");
    expect(out).toMatch(
      /1\. remove member [0-9a-f]+ from the list: its data are lost\n {3}etcdctl member remove /,
    );
    expect(out).toContain("   before: 3 voters, 2 live, 2 needed: none more may fail\n");
    expect(out).toContain("3. wait until etcd is started on this host with the four lines\n");
    expect(out).toContain("4. promote learner <new id> to a voter\n");
    const json = await member.readd("--dry-run", "-o", "json");
    expect(`${JSON.parse(json.out).start.environment.join("\n")}\n`).toMatch(FOUR_LINES);
    expect((await health(member)).voters).toEqual(["m0 voter", "m1 voter", "m2 voter"]);
  });

  test("without a yes", async () => {
    const member = await loseMember(3);
    const argv = [
      "member-readd",
      "--name",
      "m2",
      "--peer-url",
      member.peerUrl,
      "--data-dir",
      "/nonexistent/data",
    ];
    const run = await runCli([...argv, "--endpoints", member.endpoints.join(",")], { answers: ["no"] });
    expect(run.exitCode).toBe(3);
    expect(run.err).toContain("in 3 steps? Type 3 to go on: no\n");
    expect((await health(member)).voters).toEqual(["m0 voter", "m1 voter", "m2 voter"]);
  });
});

test.each([
  [
    ["--name", "a", "--peer-url", "https://10.0.0.1:2380"],
    "--name, --peer-url and --data-dir belong together",
  ],
  [["--name", "a", "--peer-url", "nothing", "--data-dir", "/data"], "it is no URL"],
  [
    ["--name", "a", "--peer-url", "http://a:1", "--data-dir", "/data", "--print-env", "-o", "json"],
    "stdout would carry",
  ],
])("%j is not understood", async (argv, why) => {
  const { err, exitCode } = await runCli(["member-readd", ...argv]);
  expect(exitCode).toBe(2);
  expect(err).toContain(`why:  ${why}`);
});

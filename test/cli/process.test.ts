import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { certificates, hasOpenssl } from "../adapters/tls-certificates.js";
import { type Cluster, loadCluster, stoppedCluster } from "../harness/cluster.js";
import { type EtcdServer, startEtcd } from "../harness/etcd.js";
import { temporaryFolder } from "../harness/folder.js";
import { BIN, environment, hasScript, runOnTerminal, runProcess } from "../harness/process.js";
import { blocksOf, rewrittenKeys } from "../run/round-trip.js";

let server: EtcdServer;
beforeAll(async () => {
  server = await startEtcd();
});
afterAll(() => server.stop());

const CHANGE = ["change-pod-cidr", "10.212.0.0/16", "--node-cidr-mask-size", "22"];
const PROMPT = "Type 5 to go on";
const RED_OR_YELLOW = new RegExp(`${String.fromCharCode(27)}\\[3[13]m`);

async function scene(): Promise<{ cluster: Cluster; flags: readonly string[] }> {
  const cluster = await loadCluster(server.endpoint, stoppedCluster("v1.36-single"));
  const journals = temporaryFolder();
  return {
    cluster,
    flags: ["--endpoints", cluster.endpoint, "--prefix", cluster.prefix, "--journal-dir", journals],
  };
}

const newBlocks = (cluster: Cluster) =>
  cluster
    .nodes()
    .then((nodes) => Object.values(blocksOf(nodes)).filter((block) => block.startsWith("10.212.")));

describe("as a process without a terminal", () => {
  test("changes, lists and rolls back; nothing but what is meant is on stderr", async () => {
    const { cluster, flags } = await scene();
    const before = await cluster.dump();
    const dryRun = runProcess([...CHANGE, "--dry-run", ...flags]);
    expect(dryRun).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/^etcd \d+\.\d+\.\d+ at http:\S+ \(--endpoints\)\n$/),
    });
    expect(rewrittenKeys(before, await cluster.dump())).toEqual([]);
    const run = runProcess([...CHANGE, "--yes", ...flags]);
    expect(run).toMatchObject({ exitCode: 0, stderr: dryRun.stderr });
    expect(run.stdout).toContain("\n5 Nodes written, ");
    expect(run.stdout).not.toMatch(RED_OR_YELLOW);
    expect((await newBlocks(cluster)).length).toBe(5);
    expect(runProcess(["changes", ...flags]).stdout).toMatch(/ done +5 +here\n$/);
    expect(runProcess(["rollback", "--yes", ...flags]).exitCode).toBe(0);
    expect(await newBlocks(cluster)).toEqual([]);
  });

  test("asks nobody: exit 2", async () => {
    const { cluster, flags } = await scene();
    const { exitCode, stderr } = runProcess([...CHANGE, ...flags]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("error[no-terminal]: ");
    expect(await newBlocks(cluster)).toEqual([]);
  });

  test("takes the endpoint from ETCDCTL_ENDPOINTS, and a flag wins", async () => {
    const { cluster, flags } = await scene();
    const more = ["--dry-run", ...flags.slice(2)];
    const fromVariable = runProcess([...CHANGE, ...more], { ETCDCTL_ENDPOINTS: cluster.endpoint });
    expect(fromVariable).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/^etcd \d+\.\d+\.\d+ at http:\S+ \(ETCDCTL_ENDPOINTS\)\n$/),
    });
    const flag = ["--endpoint", cluster.endpoint];
    const fromFlag = runProcess([...CHANGE, ...more, ...flag], { ETCDCTL_ENDPOINTS: "127.0.0.1:1" });
    expect(fromFlag.exitCode).toBe(0);
  });

  test("a reader that has gone is no fault", async () => {
    const { flags } = await scene();
    const command = [process.execPath, BIN, ...CHANGE, "--dry-run", ...flags]
      .map((word) => `'${word}'`)
      .join(" ");
    const { stdout, stderr } = spawnSync(
      "bash",
      ["-c", `${command} | head -n 1 >/dev/null; echo "\${PIPESTATUS[0]}"`],
      { env: environment(), encoding: "utf8" },
    );
    expect(stdout).toBe("0\n");
    expect(stderr).not.toContain("EPIPE");
  });

  test("where no journal can be kept nothing is written", async () => {
    const { cluster, flags } = await scene();
    const inFile = ["--journal-dir", join(BIN, "journals")];
    const { exitCode, stderr } = runProcess([...CHANGE, "--yes", ...flags.slice(0, 4), ...inFile]);
    expect(exitCode).toBe(3);
    expect(stderr).toContain("error[journal-unusable]: cannot keep a journal in ");
    expect(await newBlocks(cluster)).toEqual([]);
  });
});

describe.skipIf(!hasScript)("on a terminal", () => {
  test("the operator reads the plan, types the count, and it is done", async () => {
    const { cluster, flags } = await scene();
    const terminal = runOnTerminal([...CHANGE, ...flags]);
    await terminal.seen(PROMPT);
    expect(await newBlocks(cluster)).toEqual([]);
    terminal.type("5\r");
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toContain("5 Nodes written, ");
    expect(terminal.text()).toMatch(RED_OR_YELLOW);
    expect(terminal.text()).toContain("5 of 5 Nodes, ");
    expect((await newBlocks(cluster)).length).toBe(5);
  });

  test.each([
    ["anything else", "yes\r", "declined", 3, "the answer was not 5"],
    ["nothing", "\r", "declined", 3, "the answer was not 5"],
    ["Ctrl-C", "\u0003", "interrupted", 130, "no answer was given"],
  ])("%s is no", async (_name, keys, code, exitCode, why) => {
    const { cluster, flags } = await scene();
    const terminal = runOnTerminal([...CHANGE, ...flags]);
    await terminal.seen(PROMPT);
    terminal.type(keys);
    expect(await terminal.ended()).toBe(exitCode);
    expect(terminal.text()).toContain(`error[${code}]: the change was not confirmed`);
    expect(terminal.text()).toContain(why);
    expect(await newBlocks(cluster)).toEqual([]);
  });

  test("NO_COLOR is respected", async () => {
    const { flags } = await scene();
    const terminal = runOnTerminal([...CHANGE, "--dry-run", ...flags], { NO_COLOR: "1" });
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toContain("warning[flannel-range]");
    expect(terminal.text()).not.toMatch(RED_OR_YELLOW);
  });
});

describe.skipIf(!hasOpenssl)("over TLS (needs openssl)", () => {
  test("with a client's certificate, by the flags that etcdctl has", async () => {
    const made = certificates();
    onTestFinished(() => made.remove());
    made.ca("ca");
    made.sign("server", "ca");
    made.sign("client", "ca", { extendedKeyUsage: "clientAuth" });
    const at = (name: string) => join(made.folder, name);
    const server = await startEtcd({
      flags: [
        `--cert-file=${at("server.crt")}`,
        `--key-file=${at("server.key")}`,
        "--client-cert-auth",
        `--trusted-ca-file=${at("ca.crt")}`,
      ],
    });
    onTestFinished(() => server.stop());
    const ca = ["--endpoints", server.clientUrl, "--cacert", at("ca.crt")];
    const client = ["--cert", at("client.crt"), "--key", at("client.key")];
    const known = runProcess([...ca, ...CHANGE, ...client, "--dry-run"]);
    expect(known).toMatchObject({ exitCode: 3, stdout: "" });
    expect(known.stderr).toContain("error[wrong-etcd]: ");
    const unknown = runProcess([...CHANGE, ...ca, "--dry-run"]);
    expect(unknown).toMatchObject({ exitCode: 3, stdout: "" });
    expect(unknown.stderr).toContain("error[tls]: ");
  });
});

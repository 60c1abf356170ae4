import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { type CliRun, runCli } from "../harness/cli.js";
import { etcdBinary } from "../harness/etcd.js";
import { killWhen } from "../harness/process.js";
import { environmentText, type Systemd, startSystemd } from "../harness/systemd.js";
import { type HostSetUpAgain, health, hostSetUpAgain, startedAlone } from "./readd-scene.js";

interface Host extends HostSetUpAgain {
  readonly systemd: Systemd;
  readd(...more: readonly string[]): Promise<CliRun>;
}

/** As kubespray sets up a first member, which it has started. */
async function kubesprayHost(): Promise<Host> {
  const host = await hostSetUpAgain();
  const systemd = startSystemd(host.etcd);
  systemd.systemctl("start", "etcd");
  await startedAlone(systemd);
  return { ...host, systemd, readd: (...more) => runCli([...host.readdArgs, "--yes", ...more]) };
}

test("a host that has started a cluster of its own is brought back by its unit, killed after every step", async () => {
  const host = await kubesprayHost();
  const { etcd, systemd } = host;
  const refused = await host.readd();
  expect(refused.err).toContain("not brought back: foreign-data\n");
  expect(refused.exitCode).toBe(3);

  const dryRun = await runCli([...host.readdArgs, "--accept", "foreign-data", "--dry-run"]);
  expect(dryRun.out).toMatch(/\n-ETCD_INITIAL_CLUSTER=m2=\S+\n\+ETCD_INITIAL_CLUSTER_STATE=existing\n/);
  expect(dryRun.out).toMatch(/\n\+ETCD_INITIAL_CLUSTER=m0=\S+,m1=\S+,m2=\S+\n$/);
  expect(readFileSync(systemd.environmentFile, "utf8")).toBe(environmentText(etcd));

  const until = (text: string) =>
    killWhen(
      [...host.readdArgs, "--unit", "etcd", "--yes", "--no-snapshot", "--accept", "foreign-data"],
      text,
    );
  for (const step of ["stop", "remove", "archive", "add", "start"])
    expect(await until(`${step}: done\n`)).toBe(true);
  const { err, exitCode } = await host.readd();
  expect(err).toContain("m2 is back as a voter; 3 voters hold the same keys");
  expect(exitCode).toBe(0);
  expect(await health(host)).toEqual({ healthy: true, voters: ["m0 voter", "m1 voter", "m2 voter"] });

  const text = readFileSync(systemd.environmentFile, "utf8");
  const cluster = /^ETCD_INITIAL_CLUSTER=(m0=\S+,m1=\S+,m2=\S+)$/m.exec(text)?.[1] ?? "";
  expect(text).toBe(
    environmentText({ ...etcd, initialCluster: cluster }).replace("STATE=new", "STATE=existing"),
  );
  expect(statSync(systemd.environmentFile).mode & 0o777).toBe(0o640);
  expect(readdirSync(dirname(systemd.environmentFile)).filter((name) => name.endsWith("-new"))).toEqual([]);
});

const NOBODY = {
  name: "m2",
  peerUrl: "http://127.0.0.1:1",
  clientUrl: "http://127.0.0.1:2",
  dataDir: "/nonexistent",
  initialCluster: "m2=http://127.0.0.1:1",
};

test.each([
  [["--unit", "other"], [], 1, "error[not-found]: there is no unit other\n"],
  [
    ["--unit", "etcd"],
    ["--initial-cluster=a=b"],
    3,
    "why:  its command line has --initial-cluster, and etcd takes no variable beside the flag\n",
  ],
  [["--unit", "etcd", "--manifest", "etcd.yaml"], [], 2, "why:  one of them starts etcd on this host\n"],
  [
    ["--unit", "etcd", "--name", "m2", "--peer-url", "http://127.0.0.1:1", "--data-dir", "/nonexistent"],
    [],
    2,
    "error[usage]: it is not known who starts etcd\n",
  ],
])("%j with %j on its command line is refused", async (argv, more, code, text) => {
  startSystemd(NOBODY, [etcdBinary(), ...more]);
  const { err, exitCode } = await runCli(["member-readd", ...argv]);
  expect(err).toContain(text);
  expect(exitCode).toBe(code);
});

import { rmSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type CliRun, runCli } from "./cli.js";
import { type EtcdServer, startEtcd } from "./etcd.js";
import { type EtcdCluster, startEtcdCluster } from "./etcd-cluster.js";
import { temporaryFolder } from "./folder.js";
import { killWhen } from "./process.js";

/** A cluster whose last member is gone, on the host that the member is to return to. */
export interface ReturningMember {
  readonly cluster: EtcdCluster;
  readonly name: string;
  readonly peerUrl: string;
  /** Of the member that is gone; its data are still there. */
  readonly dataDir: string;
  /** Of the others. */
  readonly endpoints: readonly string[];
  readonly journals: string;
  loseData(): void;
  /** Starts etcd as the four lines say. */
  startWith(lines: string): Promise<EtcdServer>;
  /** Starts etcd with the data that are there. */
  start(): Promise<EtcdServer>;
  /** Runs `member-readd`; etcd is started when the four lines are printed. */
  readd(...more: readonly string[]): Promise<CliRun>;
  /** The same in a process of its own that is killed once this text is on stderr; true when it came to that. */
  readdUntil(text: string): Promise<boolean>;
}

/** Of a cluster of so many members the last one is killed. */
export async function loseMember(size: number, tls: readonly string[] = []): Promise<ReturningMember> {
  const cluster = await startEtcdCluster(size, tls);
  onTestFinished(() => cluster.stop());
  const gone = cluster.members.at(-1);
  const peerUrl = cluster.peerUrls.at(-1);
  if (gone === undefined || peerUrl === undefined) throw new Error("a cluster has members");
  gone.kill("SIGKILL");
  return returningMember(cluster, { name: `m${size - 1}`, peerUrl, dataDir: gone.dataDir, tls });
}

interface Identity {
  readonly name: string;
  readonly peerUrl: string;
  readonly dataDir: string;
  readonly tls?: readonly string[];
}

export function returningMember(
  cluster: EtcdCluster,
  { name, peerUrl, dataDir, tls = [] }: Identity,
): ReturningMember {
  const endpoints = cluster.endpoints.filter((_url, index) => cluster.peerUrls[index] !== peerUrl);
  const journals = join(temporaryFolder(), "journals");
  const own = ["--name", name, "--peer-url", peerUrl, "--data-dir", dataDir];
  const argv = ["member-readd", ...own, "--endpoints", endpoints.join(","), "--journal-dir", journals];
  const start = async (flags: readonly string[]) => {
    const listen = [`--data-dir=${dataDir}`, `--name=${name}`, `--listen-peer-urls=${peerUrl}`];
    const server = await startEtcd({ flags: [...listen, ...tls, ...flags] });
    onTestFinished(() => server.stop());
    return server;
  };
  const startWith = (lines: string) => start(flagsOf(lines));
  return {
    ...{ cluster, name, peerUrl, dataDir, endpoints, journals, startWith },
    loseData: () => rmSync(dataDir, { recursive: true, force: true }),
    start: () => start([`--initial-advertise-peer-urls=${peerUrl}`]),
    async readd(...more) {
      const printed: string[] = [];
      let started: Promise<unknown> = Promise.resolve();
      const out = (text: string): void => {
        printed.push(text);
        started = text.startsWith("ETCD_NAME=") ? startWith(text) : started;
      };
      const run = await runCli([...argv, "--promote-timeout", "60s", "--yes", ...more], { out });
      await started;
      return { ...run, out: printed.join("") };
    },
    readdUntil: (text) => killWhen([...argv, "--yes", "--no-snapshot"], text),
  };
}

/** etcd's flags for the lines that set its environment. */
function flagsOf(lines: string): readonly string[] {
  return [...lines.matchAll(/^ETCD_([A-Z_]+)="(.*)"$/gm)].map(
    ([, name = "", value = ""]) => `--${name.toLowerCase().replaceAll("_", "-")}=${value}`,
  );
}

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { etcdBinary } from "./etcd.js";
import { temporaryFolder } from "./folder.js";
import type { StaticEtcd } from "./kubelet.js";

/** Stands in for systemd: a `systemctl` on PATH with one unit, which starts and stops etcd. */
export interface Systemd {
  readonly environmentFile: string;
  /** As an administrator. */
  systemctl(...words: readonly string[]): string;
  /** Etcd's output, of all its starts. */
  log(): string;
}

/** `command` is ExecStart=, the program first. */
export function startSystemd(etcd: StaticEtcd, command: readonly string[] = [etcdBinary()]): Systemd {
  const folder = temporaryFolder();
  const environmentFile = join(folder, "etcd.env");
  const logFile = join(folder, "etcd.log");
  writeFileSync(logFile, "");
  writeFileSync(environmentFile, environmentText(etcd), { mode: 0o640 });
  writeFileSync(join(folder, "systemctl"), stand(folder, command.join(" ")), { mode: 0o755 });
  vi.stubEnv("PATH", [folder, process.env["PATH"]].join(":"));
  const systemctl = (...words: readonly string[]): string => {
    const { stdout, stderr, status } = spawnSync(join(folder, "systemctl"), words, { encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
    return stdout;
  };
  onTestFinished(() => {
    systemctl("stop", "etcd");
    vi.unstubAllEnvs();
  });
  return { environmentFile, systemctl, log: () => readFileSync(logFile, "utf8") };
}

/** A zombie has ended: whoever took it over has not looked at it yet. */
function stand(folder: string, command: string): string {
  return `#!/bin/sh
cd ${folder}
runs() { test -s pid && grep -q '^State:[^Z]*$' "/proc/$(cat pid)/status" 2>/dev/null; }
verb=$1
for unit; do :; done
case $verb in
show)
  test "$unit" = etcd && echo LoadState=loaded || echo LoadState=not-found
  runs && echo ActiveState=active || echo ActiveState=inactive
  echo 'EnvironmentFiles=${folder}/none.env (ignore_errors=yes)'
  echo 'EnvironmentFiles=${folder}/etcd.env (ignore_errors=no)'
  echo 'ExecStart={ path=etcd ; argv[]=${command} ; ignore_errors=no ; start_time=[n/a] ; stop_time=[n/a] ; pid=0 ; code=(null) ; status=0/0 }' ;;
start)
  runs && exit 0
  set -a; . ./etcd.env; set +a
  ${command} </dev/null >>etcd.log 2>&1 &
  echo $! >pid ;;
stop)
  runs && kill "$(cat pid)"
  while runs; do sleep 0.05; done ;;
# As systemd answers for a unit that is neither loaded nor failed.
reset-failed) echo "Failed to reset failed state of unit $unit.service: Unit $unit.service not loaded." >&2; exit 1 ;;
*) echo "no $verb" >&2; exit 1 ;;
esac
`;
}

/** In the words of kubespray. */
export function environmentText({ name, peerUrl, clientUrl, dataDir, initialCluster }: StaticEtcd): string {
  return [
    "# Environment file for etcd",
    `ETCD_DATA_DIR=${dataDir}`,
    `ETCD_ADVERTISE_CLIENT_URLS=${clientUrl}`,
    `ETCD_INITIAL_ADVERTISE_PEER_URLS=${peerUrl}`,
    "ETCD_INITIAL_CLUSTER_STATE=new",
    "ETCD_METRICS=basic",
    `ETCD_LISTEN_CLIENT_URLS=${clientUrl}`,
    "ETCD_ELECTION_TIMEOUT=1000",
    "ETCD_INITIAL_CLUSTER_TOKEN=k8s_etcd",
    `ETCD_LISTEN_PEER_URLS=${peerUrl}`,
    `ETCD_NAME=${name}`,
    `ETCD_INITIAL_CLUSTER=${initialCluster}`,
    "",
    "# CLI settings",
    "ETCDCTL_ENDPOINTS=https://127.0.0.1:2379",
    "",
  ].join("\n");
}

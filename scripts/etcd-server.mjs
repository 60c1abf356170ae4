// Starts throw-away etcd servers on loopback, for the demo, the tests and the benchmarks.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePorts } from "./ports.mjs";

const READY_WITHIN_MS = 30_000;
const TRIES = 5;

/**
 * Starts an etcd of one member on free ports of loopback and returns when `/health` answers. Its data lies in a fresh
 * folder below `directory`; `stop` ends the process, frozen or not, and removes that folder.
 * @param {{ binary: string, name?: string, flags?: readonly string[], directory?: string }} options
 */
export async function startEtcdServer({ binary, name = "etcd", flags = [], directory = tmpdir() }) {
  for (let tries = 1; ; tries++) {
    const folder = mkdtempSync(join(directory, "etcdcidr-etcd-"));
    const logFile = join(folder, "log");
    const urls = await freeUrls(flags);
    const child = launch({ binary, name, folder, urls, logFile, flags });
    const stop = async () => {
      await end(child);
      rmSync(folder, { recursive: true, force: true });
    };
    if (await becomesHealthy(child, `${urls.metrics}/health`)) {
      return { child, clientUrl: urls.client, dataDir: join(folder, "data"), stop };
    }
    const log = readFileSync(logFile, "utf8");
    await stop();
    // Between our look and etcd's bind another process can have taken the port.
    if (tries === TRIES || !log.includes("address already in use")) {
      throw new Error(`etcd did not become healthy, its log ends with:\n${log.slice(-2000)}`);
    }
  }
}

/** Client URLs are https where the flags name a certificate; the metrics URL answers `/health` in plain HTTP all the same. */
async function freeUrls(flags) {
  const [client, peer, metrics] = (await freePorts(3)).map((port) => `127.0.0.1:${port}`);
  const scheme = flags.some((flag) => flag.startsWith("--cert-file")) ? "https" : "http";
  return { client: `${scheme}://${client}`, peer: `http://${peer}`, metrics: `http://${metrics}` };
}

function launch({ binary, name, folder, urls, logFile, flags }) {
  const own = [
    `--name=${name}`,
    `--data-dir=${join(folder, "data")}`,
    `--listen-client-urls=${urls.client}`,
    `--advertise-client-urls=${urls.client}`,
    `--listen-peer-urls=${urls.peer}`,
    `--initial-advertise-peer-urls=${urls.peer}`,
    `--initial-cluster=${name}=${urls.peer}`,
    `--listen-metrics-urls=${urls.metrics}`,
    ...speedFlags(binary),
  ];
  const log = openSync(logFile, "a");
  const child = spawn(binary, [...own, ...flags], { stdio: ["ignore", log, log] });
  closeSync(log);
  const endWithUs = () => child.kill("SIGKILL");
  process.once("exit", endWithUs);
  child.once("exit", () => process.removeListener("exit", endWithUs));
  return child;
}

/** What it holds is thrown away, so it need not reach the disk; etcd 3.4 has no such flag. */
function speedFlags(binary) {
  const { stdout } = spawnSync(binary, ["--help"], { encoding: "utf8" });
  return ["--unsafe-no-fsync"].filter((flag) => stdout.includes(flag));
}

async function becomesHealthy(child, url) {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (Date.now() < deadline && child.exitCode === null && child.signalCode === null) {
    const healthy = await fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
      (response) => response.ok,
      () => false,
    );
    if (healthy) return true;
    await sleep(25);
  }
  return false;
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  // A process stopped by SIGSTOP hears nothing else.
  child.kill("SIGKILL");
  await exited;
}

// `npm run bench`: how fast and how large etcdcidr is, against the predecessor's way, a bare loop and Node.js itself.
// Prints ratios of medians of alternating runs and the bound of each; it fails only when something cannot run.
import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { load, NEW_RANGE, nodes, OLD_RANGE, pods, services, surroundings } from "./bench/cluster.mjs";
import { alternate, peakMegabytes, seconds } from "./bench/measure.mjs";
import { obtainEtcd } from "./etcd.mjs";
import { startEtcdServer } from "./etcd-server.mjs";
import { build, install, ROOT } from "./set-up.mjs";

const FEW = 5;
const MANY = 5_000;
const MOST = 15_000;
const PODS_PER_NODE = 10;
const ROUNDS = 5;
const START_ROUNDS = 15;
const TMPFS = 0x01021994;
// What is compared here goes to the disk as it would in production.
const ETCD_FLAGS = ["--unsafe-no-fsync=false", `--quota-backend-bytes=${8 * 2 ** 30}`];

const ETCDCIDR = join(ROOT, "bin", "etcdcidr.js");
const MODES = {
  batches: { isLive: false, title: "nobody watches, in batches" },
  live: { isLive: true, title: "API servers live, one Node a Txn" },
};

const say = (line) => console.log(line);

async function main(folder) {
  install(say);
  build(say);
  const { path: binary, origin } = obtainEtcd({ prefer: "newest", say });
  const disk = statfsSync(folder).type === TMPFS ? "tmpfs" : "a disk";
  say(
    `etcd ${origin}, with fsync, on ${disk} (${folder}); Node.js ${process.version}, ${cpus().length} CPUs`,
  );
  await benchStart(binary, folder);
  const perNode = {};
  for (const mode of Object.keys(MODES)) perNode[mode] = await benchMany(binary, folder, mode);
  await benchPredecessor(binary, folder);
  await benchMost(binary, folder, perNode.batches);
  await benchVerify(binary, folder);
}

/** How long it takes until something happens at all. */
async function benchStart(binary, folder) {
  say("\n== Start");
  const bare = () => seconds(process.execPath, ["-e", "0"]);
  const version = () => seconds(process.execPath, [ETCDCIDR, "--version"]);
  await withEtcd(binary, folder, async (clientUrl) => {
    await load(clientUrl, surroundings({ isLive: false }));
    await load(clientUrl, nodes(FEW));
    const plan = () => seconds(process.execPath, change(clientUrl, folder, "--dry-run"));
    const taken = await alternate({ bare, version, plan }, START_ROUNDS);
    tellMedians(taken);
    atMost(1.6, taken.version / taken.bare, "etcdcidr --version : node -e 0");
    atMost(0.4, taken.plan - taken.version, `a plan of ${FEW} Nodes, longer than --version`, " s");
  });
}

/** Against the least that could be done and against one Node after the other; returns the seconds a Node. */
async function benchMany(binary, folder, mode) {
  const { isLive, title } = MODES[mode];
  say(`\n== ${MANY} Nodes of 8 KB, whole processes: ${title}`);
  return await withEtcd(binary, folder, async (clientUrl) => {
    const cluster = await inMemory(nodes(MANY));
    await load(clientUrl, surroundings({ isLive }));
    const taken = await alternate(
      {
        etcdcidr: () => seconds(process.execPath, change(clientUrl, folder, "--yes")),
        bareLoop: () => seconds(process.execPath, [script("bare-loop"), clientUrl, mode]),
        getAndPut: () => seconds(process.execPath, [script("get-and-put"), clientUrl]),
      },
      ROUNDS,
      () => load(clientUrl, cluster),
    );
    tellMedians(taken);
    const [least, aim] = isLive ? [2.5, 5] : [4, 8];
    atLeast(least, taken.getAndPut / taken.etcdcidr, `one get and one put a Node : etcdcidr, aim ${aim}`);
    atMost(2.2, taken.etcdcidr / taken.bareLoop, "etcdcidr : bare loop");
    return taken.etcdcidr / MANY;
  });
}

async function benchPredecessor(binary, folder) {
  const predecessor = process.env.ETCDHELPER_BIN;
  say(`\n== ${MANY} Nodes of 8 KB, against the predecessor itself`);
  if (!predecessor) return say("not run: set ETCDHELPER_BIN to an etcdhelper");
  await withEtcd(binary, folder, async (clientUrl) => {
    const cluster = await inMemory(nodes(MANY));
    await load(clientUrl, surroundings({ isLive: false }));
    const taken = await alternate(
      {
        etcdcidr: () => seconds(process.execPath, change(clientUrl, folder, "--yes")),
        predecessor: () => seconds(predecessor, ["-endpoint", clientUrl, "change-pod-cidr", "10.212.0.0/16"]),
      },
      ROUNDS,
      () => load(clientUrl, cluster),
    );
    tellMedians(taken);
    say(line("etcdhelper : etcdcidr", ratio(taken.predecessor / taken.etcdcidr), ""));
  });
}

/** Whether time and memory grow as they should. */
async function benchMost(binary, folder, perNode) {
  say(`\n== ${MOST} Nodes of 8 KB, whole process: ${MODES.batches.title}`);
  await withEtcd(binary, folder, async (clientUrl) => {
    const cluster = () => load(clientUrl, nodes(MOST));
    await load(clientUrl, surroundings({ isLive: false }));
    const run = () => seconds(process.execPath, change(clientUrl, folder, "--yes"));
    const { most } = await alternate({ most: run }, 3, cluster);
    atMost(1.3, most / MOST / perNode, `time a Node : that of ${MANY}`);
    await cluster();
    atMost(300, peakMegabytes(change(clientUrl, folder, "--yes"), folder), "peak memory", " MB");
    await load(clientUrl, pods(MOST, PODS_PER_NODE));
    await cluster();
    const peak = peakMegabytes(change(clientUrl, folder, "--yes"), folder);
    atMost(300, peak, `peak memory with ${PODS_PER_NODE} Pods of 4 KB a Node`, " MB");
  });
}

async function benchVerify(binary, folder) {
  say(`\n== verify: ${MANY} Nodes, ${MANY * 4} Pods, ${MANY} Services`);
  await withEtcd(binary, folder, async (clientUrl) => {
    await load(clientUrl, surroundings({ isLive: false }));
    for (const keys of [nodes(MANY), pods(MANY, 4), services(MANY)]) await load(clientUrl, keys);
    const command = [ETCDCIDR, "verify", "--pod-cidr", OLD_RANGE, "--endpoints", clientUrl];
    const taken = await alternate({ verify: () => seconds(process.execPath, command) }, ROUNDS);
    atMost(8, taken.verify, "verify", " s");
    atMost(300, peakMegabytes(command, folder), "peak memory", " MB");
  });
}

async function withEtcd(binary, folder, work) {
  const { clientUrl, stop } = await startEtcdServer({ binary, directory: folder, flags: ETCD_FLAGS });
  try {
    return await work(clientUrl);
  } finally {
    await stop();
  }
}

/** Each run has a journal directory of its own, as a first run has. */
function change(clientUrl, folder, ...flags) {
  const journals = mkdtempSync(join(folder, "journals-"));
  const command = ["change-pod-cidr", NEW_RANGE, "--endpoints", clientUrl, "--journal-dir", journals];
  return [ETCDCIDR, ...command, ...flags];
}

async function inMemory(keys) {
  const all = [];
  for await (const key of keys) all.push(key);
  return all;
}

const script = (name) => fileURLToPath(new URL(`bench/${name}.mjs`, import.meta.url));
const ratio = (value, unit = "") => `${value.toFixed(2)}${unit}`;
const line = (what, value, verdict) => `${what.padEnd(56)} ${value.padStart(10)}   ${verdict}`.trimEnd();

function tellMedians(taken) {
  const texts = Object.entries(taken).map(([name, value]) => `${name} ${ratio(value, " s")}`);
  say(`medians: ${texts.join(", ")}`);
}

function atMost(bound, value, what, unit = "") {
  say(line(what, ratio(value, unit), `${value <= bound ? "met" : "MISSED"}: at most ${bound}${unit}`));
}

function atLeast(bound, value, what) {
  say(line(what, ratio(value), `${value >= bound ? "met" : "MISSED"}: at least ${bound}`));
}

const folder = mkdtempSync(join(tmpdir(), "etcdcidr-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));
try {
  await main(folder);
} catch (error) {
  console.error(`the benchmark stopped: ${error.stack}`);
  process.exitCode = 1;
}

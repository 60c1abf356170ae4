// `npm run demo`: moves the Nodes of a captured cluster to another pod network in a throw-away etcd, and back again.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { styleText } from "node:util";
import { gunzipSync } from "node:zlib";
import { obtainEtcd } from "./etcd.mjs";
import { startEtcdServer } from "./etcd-server.mjs";
import { build, install, ROOT } from "./set-up.mjs";

const CLUSTER = "v1.36-single";
const NODES = "/registry/minions/";
const SHOWN_NODE = `${NODES}worker-1`;
const CHANGE = ["change-pod-cidr", "10.212.0.0/16", "--node-cidr-mask-size", "22"];
const PUTS_PER_TXN = 100;

const say = (line) => console.log(line);
const heading = (text) => say(`\n${styleText("bold", `== ${text}`)}`);

async function main(folder) {
  install(say);
  build(say);
  const { path, origin } = obtainEtcd({ prefer: "quickest", directory: folder, say });
  const { clientUrl, stop } = await startEtcdServer({ binary: path, directory: folder });
  try {
    const { etcdserver } = await call(`${clientUrl}/version`);
    say(`etcd ${etcdserver}: ${origin}`);
    const count = await loadCluster(clientUrl);
    say(`loaded ${count} keys of ${CLUSTER}, as a real kube-apiserver stored them; no API server lives`);
    await changeAndRollBack(clientUrl, folder);
  } finally {
    await stop();
  }
}

async function changeAndRollBack(clientUrl, folder) {
  const schema = await nodeSchema();
  const etcdcidr = (...args) =>
    runCli("--endpoints", clientUrl, "--journal-dir", join(folder, "journals"), ...args);
  const showNode = async () => say(nodeText(schema, (await readNodes(clientUrl)).get(SHOWN_NODE)));
  const atStart = await readNodes(clientUrl);

  heading("1. What would be done; nothing is written");
  etcdcidr(...CHANGE, "--dry-run");
  heading("2. A Node before");
  await showNode();
  heading("3. The change");
  etcdcidr(...CHANGE, "--yes");
  heading("4. The Node after");
  await showNode();
  heading("5. The history");
  etcdcidr("changes");
  heading("6. The way back");
  etcdcidr("rollback", "--yes");
  heading("7. The Node again");
  await showNode();
  const atEnd = await readNodes(clientUrl);
  const different = [...atStart.keys()].filter((key) => atStart.get(key).value !== atEnd.get(key)?.value);
  if (different.length > 0) throw new Error(`not as at the start: ${different.join(", ")}`);
  say(`all ${atStart.size} Nodes hold the very bytes they held at the start`);
}

/** Puts the captured keys in their order, but for the leases of API servers: the demo shows a stopped control plane. */
async function loadCluster(clientUrl) {
  const file = join(ROOT, "test", "golden", "fixtures", `${CLUSTER}.jsonl.gz`);
  const lines = gunzipSync(readFileSync(file)).toString("utf8").trimEnd().split("\n");
  const keys = lines
    .map((line) => JSON.parse(line))
    .filter(({ key }) => !key.startsWith("/registry/masterleases/"));
  for (let first = 0; first < keys.length; first += PUTS_PER_TXN) {
    const puts = keys.slice(first, first + PUTS_PER_TXN);
    await call(`${clientUrl}/v3/kv/txn`, {
      success: puts.map(({ key, value }) => ({ requestPut: { key: toBase64(key), value } })),
    });
  }
  return keys.length;
}

/** The stored Nodes by key: value in base64, and its revision. */
async function readNodes(clientUrl) {
  const end = `${NODES.slice(0, -1)}0`;
  const { kvs } = await call(`${clientUrl}/v3/kv/range`, { key: toBase64(NODES), range_end: toBase64(end) });
  return new Map(
    kvs.map(({ key, value, mod_revision }) => [
      Buffer.from(key, "base64").toString(),
      { value, revision: mod_revision },
    ]),
  );
}

/** Calls etcd's JSON gateway. */
async function call(url, request) {
  const post = { method: "POST", body: JSON.stringify(request) };
  const response = await fetch(url, request && post);
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return await response.json();
}

const toBase64 = (text) => Buffer.from(text).toString("base64");

async function nodeSchema() {
  const { createSchema } = await import("../dist/index.js");
  return createSchema(JSON.parse(readFileSync(join(ROOT, "proto", "kubernetes.json"), "utf8")));
}

function nodeText(schema, { value, revision }) {
  const bytes = Buffer.from(value, "base64");
  const { spec } = schema.decode(SHOWN_NODE, bytes, ["spec.podCIDR", "spec.podCIDRs"]).object;
  return [
    `${SHOWN_NODE}, revision ${revision}`,
    `  spec.podCIDR   ${spec.podCIDR}`,
    `  spec.podCIDRs  ${spec.podCIDRs.join(", ")}`,
    `  stored bytes   ${bytes.length}, sha256 ${createHash("sha256").update(bytes).digest("hex").slice(0, 16)}...`,
  ].join("\n");
}

/** Runs the command as a person would, in view, and without what the person's own environment says of an etcd. */
function runCli(...args) {
  say(`${styleText("dim", `$ etcdcidr ${args.join(" ")}`)}\n`);
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith("ETCDCTL_")),
  );
  const bin = join(ROOT, "bin", "etcdcidr.js");
  const { status } = spawnSync(process.execPath, [bin, ...args], {
    env,
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (status !== 0) throw new Error(`etcdcidr ${args.join(" ")} ended with ${status ?? "a signal"}`);
}

const folder = mkdtempSync(join(tmpdir(), "etcdcidr-demo-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));
try {
  await main(folder);
} catch (error) {
  console.error(`the demo stopped: ${error.message}`);
  process.exitCode = 1;
}

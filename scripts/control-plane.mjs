// `npm run control-plane -- up|down`: a real control plane on loopback to play with, without kubelets.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { hold, startInBackground, stopInBackground } from "./control-plane/background.mjs";
import { startControlPlane } from "./control-plane/control-plane.mjs";
import { obtainKine } from "./control-plane/kine.mjs";
import { MINORS, obtainKubernetes } from "./control-plane/kubernetes.mjs";
import { createNodes, nodesWithBlocks } from "./control-plane/nodes.mjs";
import { ETCD_MINORS, obtainEtcdServer, obtainEtcdTools } from "./etcd-release.mjs";
import { refuseTaken } from "./ports.mjs";
import { ROOT } from "./set-up.mjs";

const ENCRYPTION = ["aescbc", "aesgcm", "secretbox"];
const KUBERNETES = "1.36";
const ETCD = "3.6";

const USAGE = `usage:
  npm run control-plane -- up [--kubernetes <minor>] [--dual-stack] [--nodes <n>] [--encryption <provider>]
                              [--kine | --etcd <minor>] [--port <port>]
  npm run control-plane -- down

  --kubernetes   ${MINORS.join(", ")} (default ${KUBERNETES}); what is not there yet is built with Go
  --dual-stack   an IPv4 and an IPv6 range each for Pods and Services
  --nodes        how many Nodes there are, at most 256 (default 3)
  --encryption   encrypts Nodes, Secrets and ConfigMaps: ${ENCRYPTION.join(", ")}
  --kine         kine over sqlite in the place of etcd
  --etcd         ${ETCD_MINORS.join(", ")} (default ${ETCD})
  --port         kube-apiserver's (default: a free one)`;

const OPTIONS = {
  kubernetes: { type: "string", default: KUBERNETES },
  "dual-stack": { type: "boolean", default: false },
  nodes: { type: "string", default: "3" },
  encryption: { type: "string" },
  kine: { type: "boolean", default: false },
  etcd: { type: "string" },
  port: { type: "string" },
  folder: { type: "string" },
};

const RANGES = {
  single: { pods: "10.112.0.0/16", services: "10.96.0.0/16" },
  dual: { pods: "10.112.0.0/16,fd00:10:112::/48", services: "10.96.0.0/16,fd00:10:96::/112" },
};
const NODES_WITHIN_MS = 60_000;

const COMMANDS = { up, down, serve };

async function up(options) {
  if (options.kine && options.etcd) throw new Error("--kine and --etcd: there is one store");
  checkNumber("nodes", options.nodes, 0, 256);
  if (options.port !== undefined) checkNumber("port", options.port, 1, 65_535);
  checkEncryption(options.encryption);
  binaries(options);
  const tools = options.kine ? undefined : obtainEtcdTools({ minor: options.etcd ?? ETCD, say: console.log });
  const flags = process.argv.slice(2).filter((arg) => arg !== "up");
  const about = await startInBackground(flags);
  const cli = join(ROOT, "bin", "etcdcidr.js");
  console.log(
    [
      `up: Kubernetes ${options.kubernetes}, ${options.nodes} Nodes in ${about.pods}, Services in ${about.services}`,
      `  export KUBECONFIG=${about.kubeconfig}`,
      `  ${join(about.kubernetes, "kubectl")} get nodes`,
      ...(tools ? [`  ${join(tools, "etcdctl")} --endpoints ${about.storeUrl} member list`] : []),
      `  ${cli} change-pod-cidr 10.212.0.0/16${options["dual-stack"] ? ",fd00:10:212::/48" : ""} --endpoints ${about.storeUrl} --dry-run`,
      `logs: ${about.folder}`,
      "stop it: npm run control-plane -- down",
    ].join("\n"),
  );
}

async function down() {
  const stopped = await stopInBackground();
  console.log(stopped ? "stopped; nothing is left of it" : "no control plane is running");
}

async function serve(options) {
  const { folder, encryption } = options;
  const port = options.port && Number(options.port);
  await hold(folder, async () => {
    if (port !== undefined) await refuseTaken(port);
    const { pods, services } = RANGES[options["dual-stack"] ? "dual" : "single"];
    const controlPlane = await startControlPlane({
      ...binaries(options),
      folder,
      serviceCidr: services,
      encryption,
      port,
    });
    try {
      await controlPlane.startControllerManager(pods);
      await controlPlane.startScheduler();
      await createNodes(controlPlane.api, namedNodes(Number(options.nodes)));
      await nodesWithBlocks(controlPlane.api, NODES_WITHIN_MS);
    } catch (error) {
      await controlPlane.stop();
      throw error;
    }
    const { kubeconfig, storeUrl, stop } = controlPlane;
    const { kubernetes } = binaries(options);
    return { about: { folder, kubeconfig, storeUrl, kubernetes, pods, services }, stop };
  });
}

/** What is not there yet is built. */
function binaries({ kubernetes: minor, kine, etcd = ETCD }) {
  const say = console.log;
  const store = kine ? { kine: obtainKine(say) } : { etcd: obtainEtcdServer({ minor: etcd, say }) };
  return { kubernetes: obtainKubernetes({ minor, say }), store };
}

const namedNodes = (count) => Array.from({ length: count }, (_, index) => ({ name: `node-${index}` }));

function checkNumber(name, text, least, most) {
  if (!/^\d+$/.test(text) || Number(text) < least || Number(text) > most)
    throw new Error(`--${name} takes a number from ${least} to ${most}`);
}

function checkEncryption(provider) {
  if (provider !== undefined && !ENCRYPTION.includes(provider))
    throw new Error(`--encryption takes one of ${ENCRYPTION.join(", ")}, not ${provider}`);
}

try {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
  const [name, ...rest] = positionals;
  const command = rest.length === 0 ? COMMANDS[name] : undefined;
  if (command === undefined) throw new Error(USAGE);
  await command(values);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

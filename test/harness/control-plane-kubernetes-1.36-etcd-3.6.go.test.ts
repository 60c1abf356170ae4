import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { basename, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { obtainKubernetes } from "../../scripts/control-plane/kubernetes.mjs";
import { freePorts } from "../../scripts/ports.mjs";
import { temporaryFolder } from "./folder.js";

const SCRIPT = fileURLToPath(new URL("../../scripts/control-plane.mjs", import.meta.url));

interface Ended {
  readonly status: number | null;
  readonly text: string;
}

interface Script {
  readonly stateFile: string;
  run(...args: readonly string[]): Ended;
  /** Without waiting, so that two can run at once. */
  start(...args: readonly string[]): Promise<Ended>;
}

/** The script beside a control plane that a person may have on this machine. */
function scriptBeside(more: NodeJS.ProcessEnv = {}): Script {
  const state = temporaryFolder();
  const options = { env: { ...process.env, XDG_STATE_HOME: state, ...more }, timeout: 90_000 };
  const run = (...args: readonly string[]) => {
    const ended = spawnSync(process.execPath, [SCRIPT, ...args], { ...options, encoding: "utf8" });
    return { status: ended.status, text: ended.stdout + ended.stderr };
  };
  const start = async (...args: readonly string[]) => {
    const child = spawn(process.execPath, [SCRIPT, ...args], options);
    const [stdout, stderr, [status]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "close"),
    ]);
    return { status, text: stdout + stderr };
  };
  onTestFinished(() => void run("down"));
  return { run, start, stateFile: join(state, "etcdcidr-control-plane", "state.json") };
}

const kubeconfigIn = (printed: string): string => /KUBECONFIG=(\S+)/.exec(printed)?.[1] ?? "";

/** The processes whose command line names the folder. */
function programsIn(folder: string): readonly string[] {
  const { stdout } = spawnSync("ps", ["-ww", "-A", "-o", "args="], { encoding: "utf8" });
  return stdout
    .split("\n")
    .filter((line) => line.includes(folder))
    .map((line) => basename(line.split(" ", 1).join()))
    .sort();
}

test("a control plane comes up in the background, answers to its kubeconfig, and goes without a trace", async () => {
  const { run } = scriptBeside();
  const [port] = await freePorts(1);
  const up = run("up", "--nodes", "2", "--dual-stack", "--encryption", "aescbc", "--port", String(port));
  expect(up).toMatchObject({ status: 0 });
  const kubeconfig = kubeconfigIn(up.text);
  const kubectl = join(obtainKubernetes({ minor: "1.36", say: () => {} }), "kubectl");
  const get = [
    "--kubeconfig",
    kubeconfig,
    "get",
    "nodes",
    "-o",
    "custom-columns=:metadata.name",
    "--no-headers",
  ];
  expect(spawnSync(kubectl, get, { encoding: "utf8" }).stdout).toBe("node-0\nnode-1\n");

  expect(run("up")).toEqual({
    status: 1,
    text: `a control plane is running (${kubeconfig}); stop it: npm run control-plane -- down\n`,
  });
  expect(run("down").text).toBe("stopped; nothing is left of it\n");
  expect(existsSync(dirname(kubeconfig))).toBe(false);
  expect(run("down").text).toBe("no control plane is running\n");
});

test("a port that somebody has is refused", async () => {
  const { run } = scriptBeside();
  const server = createServer();
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = Object(server.address());
  expect(run("up", "--port", String(port))).toEqual({
    status: 1,
    text: `port ${port} of 127.0.0.1 cannot be had: EADDRINUSE\n`,
  });
});

/** What is built, with a kube-apiserver that ends at once: Node knows none of its flags. */
function cacheWithBrokenApiServer(): string {
  const cache = temporaryFolder();
  const own = join(cache, "etcdcidr");
  mkdirSync(own);
  const kubernetes = obtainKubernetes({ minor: "1.36", say: () => {} });
  const others = readdirSync(dirname(kubernetes)).filter((name) => name !== basename(kubernetes));
  for (const name of others) symlinkSync(join(dirname(kubernetes), name), join(own, name));
  mkdirSync(join(own, basename(kubernetes)));
  symlinkSync(process.execPath, join(own, basename(kubernetes), "kube-apiserver"));
  return cache;
}

test("a component that does not start ends up with the end of its log, and nothing is left", () => {
  const temporary = temporaryFolder();
  const { run, stateFile } = scriptBeside({ XDG_CACHE_HOME: cacheWithBrokenApiServer(), TMPDIR: temporary });
  const up = run("up");
  expect(up.status).toBe(1);
  expect(up.text).toMatch(/^kube-apiserver ended, its log ends with:\n.*bad option: --etcd-servers=/);
  expect([existsSync(stateFile), readdirSync(temporary)]).toEqual([false, []]);
  expect(programsIn(temporary)).toEqual([]);
});

test.each([
  ["--encryption", "rot13", "--encryption takes one of aescbc, aesgcm, secretbox, not rot13\n"],
  ["--port", "0", "--port takes a number from 1 to 65535\n"],
  ["--nodes", "257", "--nodes takes a number from 0 to 256\n"],
])("%s %s is refused", (flag, value, text) => {
  const { run } = scriptBeside();
  expect(run("up", flag, value)).toEqual({ status: 1, text });
});

test("of two that start at once one is refused, and the other can be stopped", async () => {
  const { run, start } = scriptBeside();
  const both = await Promise.all([start("up", "--nodes", "1"), start("up", "--nodes", "1")]);
  const [up, refused] = both.toSorted((a, b) => Number(a.status) - Number(b.status));
  const kubeconfig = kubeconfigIn(up?.text ?? "");
  expect(up?.status).toBe(0);
  expect(refused).toEqual({
    status: 1,
    text: `a control plane is running (${kubeconfig}); stop it: npm run control-plane -- down\n`,
  });
  expect(run("down").text).toBe("stopped; nothing is left of it\n");
  expect(programsIn(dirname(kubeconfig))).toEqual([]);
});

test("down ends what is left of a control plane whose holder was killed, and up waits for that", async () => {
  const { run, stateFile } = scriptBeside();
  const kubeconfig = kubeconfigIn(run("up", "--nodes", "1").text);
  const folder = dirname(kubeconfig);
  process.kill(JSON.parse(readFileSync(stateFile, "utf8")).pid, "SIGKILL");
  const left = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"];
  await expect.poll(() => programsIn(folder)).toEqual(left);
  expect(run("up")).toEqual({
    status: 1,
    text: `a control plane is running (${kubeconfig}); stop it: npm run control-plane -- down\n`,
  });

  // Somebody's process that names the folder is none of it.
  const reader = spawn("tail", ["-f", join(folder, "kube-apiserver.log")], { stdio: "ignore" });
  onTestFinished(() => void reader.kill());
  expect(run("down").text).toBe("stopped; nothing is left of it\n");
  expect(programsIn(folder)).toEqual(["tail"]);
  expect([existsSync(folder), existsSync(stateFile)]).toEqual([false, false]);
  expect(run("down").text).toBe("no control plane is running\n");
});

test("the claim of a process that is gone is taken over, whoever has its id since", () => {
  const { run, stateFile } = scriptBeside();
  const folder = join(temporaryFolder(), "etcdcidr-control-plane-gone");
  mkdirSync(folder);
  mkdirSync(dirname(stateFile));
  const another = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
  onTestFinished(() => void another.kill());
  writeFileSync(stateFile, JSON.stringify({ pid: another.pid, folder }));
  expect(run("up", "--nodes", "1")).toEqual({ status: 0, text: expect.stringContaining("stop it: ") });
  expect(existsSync(folder)).toBe(false);
  expect(run("down").text).toBe("stopped; nothing is left of it\n");
  const ps = spawnSync("ps", ["-o", "args=", "-p", String(another.pid)], { encoding: "utf8" });
  expect(ps.stdout).toBe("sleep 600\n");
});

test.each([
  ["cut short", "{"],
  ["of another kind", '{"pid":1,"folder":"/home"}'],
])("a state file that is %s is named with a way out", (_, damaged) => {
  const { run, stateFile } = scriptBeside();
  mkdirSync(dirname(stateFile));
  writeFileSync(stateFile, damaged);
  const ended = {
    status: 1,
    text: [
      `${stateFile} does not say which control plane is running.`,
      "End the processes that this lists, then remove that file: pgrep -af etcdcidr-control-plane-\n",
    ].join("\n"),
  };
  expect(run("up")).toEqual(ended);
  expect(run("down")).toEqual(ended);
});

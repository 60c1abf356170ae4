import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { obtainKubernetes } from "../../scripts/control-plane/kubernetes.mjs";
import { freePorts } from "../../scripts/ports.mjs";
import { temporaryFolder } from "./folder.js";

const SCRIPT = fileURLToPath(new URL("../../scripts/control-plane.mjs", import.meta.url));

/** Runs the script beside a control plane that a person may have on this machine. */
function scriptRunner(): (...args: readonly string[]) => { status: number | null; text: string } {
  const env = { ...process.env, XDG_STATE_HOME: temporaryFolder() };
  const run = (...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...args], {
      env,
      encoding: "utf8",
    });
    return { status, text: stdout + stderr };
  };
  onTestFinished(() => void run("down"));
  return run;
}

test("a control plane comes up in the background, answers to its kubeconfig, and goes without a trace", async () => {
  const run = scriptRunner();
  const [port] = await freePorts(1);
  const up = run("up", "--nodes", "2", "--dual-stack", "--encryption", "aescbc", "--port", String(port));
  expect(up).toMatchObject({ status: 0 });
  const kubeconfig = /KUBECONFIG=(\S+)/.exec(up.text)?.[1] ?? "";
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
  const run = scriptRunner();
  const server = createServer();
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = Object(server.address());
  expect(run("up", "--port", String(port))).toEqual({
    status: 1,
    text: `port ${port} of 127.0.0.1 cannot be had: EADDRINUSE\n`,
  });
});

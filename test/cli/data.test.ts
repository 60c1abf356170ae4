import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { loadRegistry, plainCluster } from "../harness/cluster.js";
import { type EtcdServer, startEtcd } from "../harness/etcd.js";
import { openTerminal, type Terminal } from "../harness/terminal.js";

let server: EtcdServer;
beforeAll(async () => {
  server = await startEtcd();
});
afterAll(() => server.stop());

/** Two Nodes are enough to read. */
async function scene(): Promise<Terminal> {
  const left = /^minions\/(kube-2|kube-3|worker-1)$/;
  await loadRegistry(
    server.endpoint,
    plainCluster("v1.36-single").filter(({ key }) => !left.test(key)),
  );
  return openTerminal(server.endpoint);
}

const CHANGE = "change-pod-cidr 10.212.0.0/16 --node-cidr-mask-size 22";

test("JSON of a dry run, a run, its way back, the history, and of nothing to do", async () => {
  const terminal = await scene();
  const dryRun = await terminal.run(`${CHANGE} --dry-run -o json`);
  expect(Object.keys(JSON.parse(dryRun.out))).toEqual(["plan", "afterwards", "components"]);
  const run = await terminal.run(`${CHANGE} --yes -o json`);
  expect(JSON.parse(run.out)).toMatchObject({ state: "done", dropped: {}, faults: [] });
  const nothing = await terminal.run(`${CHANGE} --yes -o json`);
  expect(JSON.parse(nothing.out)).toMatchObject({ plan: { outline: { nodes: [], unchanged: 2 } } });
  expect(nothing.exitCode).toBe(0);
  const back = await terminal.run("rollback --yes -o json");
  expect(JSON.parse(back.out)).toMatchObject({ state: "done" });
  const history = await terminal.run("changes -o json");
  expect(JSON.parse(history.out)).toMatchObject([{ state: "undone" }, { state: "done" }]);
  terminal.expectTranscript("data-json");
});

test("YAML of the same says the same", async () => {
  const terminal = await scene();
  const json = JSON.parse((await terminal.run(`${CHANGE} --dry-run -o json`)).out);
  const yaml = parse((await terminal.run(`${CHANGE} --dry-run -o yaml`)).out);
  expect(withoutTime(yaml)).toEqual(withoutTime(json));
});

test("YAML of a dry run, a run and the history", async () => {
  const terminal = await scene();
  await terminal.run(`${CHANGE} --dry-run -o yaml`);
  await terminal.run(`${CHANGE} --yes -o yaml`);
  await terminal.run("changes -o yaml");
  terminal.expectTranscript("data-yaml");
});

/** Without what a second run makes anew. */
function withoutTime({ plan, ...more }: { plan: { intent: object } }): unknown {
  return { ...more, plan: { ...plan, id: "", intent: { ...plan.intent, nowMs: 0 } } };
}

describe("where the data goes", () => {
  test("to stdout, and nothing but data; the plan that somebody may have to confirm goes to stderr", async () => {
    const terminal = await scene();
    const { out, err } = await terminal.run(`${CHANGE} --yes -o json`);
    expect(JSON.parse(out).written).toEqual({
      "/registry/minions/kube-1": expect.stringMatching(/^\d+$/),
      "/registry/minions/worker-2": expect.stringMatching(/^\d+$/),
    });
    expect(err).toContain("\n2 Nodes change, 0 stay as they are\n");
  });

  test("blocked: the plan is the data, the error is on stderr", async () => {
    const terminal = await scene();
    const { out, err, exitCode } = await terminal.run("change-pod-cidr 172.168.0.0/16 --yes -o json");
    expect(exitCode).toBe(3);
    expect(JSON.parse(out).plan.findings[0]).toMatchObject({ code: "not-private", severity: "blocker" });
    expect(err).toMatch(/^error\[blocked\]: the plan is blocked by not-private$/m);
  });

  test("an error alone leaves stdout empty", async () => {
    const terminal = await scene();
    expect((await terminal.run("change-pod-cidr 10.212.0.0/16 --node absent -o json")).out).toBe("");
  });

  test("no changes are an empty list", async () => {
    const terminal = await scene();
    expect((await terminal.run("changes -o json")).out).toBe("[]\n");
    expect((await terminal.run("changes")).out).toBe("");
  });
});

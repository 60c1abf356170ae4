import { afterAll, beforeAll, expect, test } from "vitest";
import { type CliProcess, type Relay, startCli, startRelay } from "../harness/crash-process.js";
import { type EtcdServer, startEtcd } from "../harness/etcd.js";
import { type Undisturbed, undisturbed } from "./crash.js";
import { CHANGE, changesIn, forgetOwnKeys, openScene, recordTypes, type Scene } from "./scene.js";

let server: EtcdServer;
beforeAll(async () => {
  server = await startEtcd();
});
afterAll(() => server.stop());

/** 40 Nodes, 16 in flight; the process is stopped in the Txn over node-5, with 15 others under way. */
interface Stopped {
  readonly scene: Scene;
  readonly whole: Undisturbed;
  readonly relay: Relay;
  readonly cli: CliProcess;
}

async function stopIn(what: "request" | "answer", argv = CHANGE): Promise<Stopped> {
  const whole = await undisturbed(server.endpoint, "in flight", 40);
  await forgetOwnKeys(server.endpoint);
  const scene = await openScene(server.endpoint, "in flight", 40);
  const relay = await startRelay(server.endpoint);
  const { prefix } = scene.cluster;
  const held = relay.hold(`${prefix}/minions/node-5`, what);
  const place = ["--endpoints", relay.endpoint, "--prefix", prefix, "--journal-dir", scene.directory];
  const cli = startCli([...argv, ...place]);
  await held;
  return { scene, whole, relay, cli };
}

const idOf = ({ directory }: Scene) => changesIn(directory).at(-1) ?? "";

async function resumes({ scene, whole }: Stopped): Promise<void> {
  expect((await scene.run(["resume", "--yes"])).exitCode).toBe(0);
  expect(await scene.nodes()).toEqual(whole.after);
}

async function rollsBack({ scene, whole }: Stopped): Promise<void> {
  expect((await scene.run(["rollback", "--yes"])).exitCode).toBe(0);
  expect(await scene.nodes()).toEqual(whole.before);
}

test.each([
  { signal: "SIGINT", goesOn: resumes },
  { signal: "SIGTERM", goesOn: rollsBack },
  { signal: "SIGHUP", goesOn: resumes },
] as const)(
  "$signal: finishes what is under way and says how to resume; then $goesOn.name",
  async ({ signal, goesOn }) => {
    const stopped = await stopIn("answer");
    const { cli, relay, scene } = stopped;
    cli.child.kill(signal);
    await cli.said("finishing what is under way; interrupt once more to end at once\n");
    relay.release();
    expect(await cli.ended).toBe(130);
    const id = idOf(scene);
    expect(cli.err()).toContain("error[interrupted]: the change was interrupted\n");
    expect(cli.err()).toContain("now:  16 of 40 Nodes are written");
    expect(cli.err()).toContain(
      `next: \`etcdcidr resume ${id}\` goes on, \`etcdcidr rollback ${id}\` undoes what is written`,
    );
    expect(recordTypes(scene.directory, id).filter((type) => type === "committed")).toHaveLength(16);
    await goesOn(stopped);
  },
);

test.each([
  { second: "SIGINT", goesOn: rollsBack },
  { second: "SIGTERM", goesOn: resumes },
] as const)("SIGINT, then $second: ends at once; then $goesOn.name", async ({ second, goesOn }) => {
  const stopped = await stopIn("answer");
  const { cli, relay, scene } = stopped;
  cli.child.kill("SIGINT");
  await cli.said("finishing what is under way");
  cli.child.kill(second);
  expect(await cli.ended).toBe(130);
  relay.release();
  expect(cli.err()).toContain("error[interrupted]: the change was ended at once\n");
  expect(cli.err()).toContain(`next: \`etcdcidr resume ${idOf(scene)}\` settles it and goes on`);
  expect(recordTypes(scene.directory, idOf(scene))).not.toContain("end");
  await goesOn(stopped);
});

test.each([
  { what: "request", goesOn: resumes },
  { what: "request", goesOn: rollsBack },
  { what: "answer", goesOn: resumes },
  { what: "answer", goesOn: rollsBack },
] as const)("SIGKILL while the $what is on its way; then $goesOn.name", async ({ what, goesOn }) => {
  const stopped = await stopIn(what);
  stopped.cli.child.kill("SIGKILL");
  expect(await stopped.cli.ended).toBe("SIGKILL");
  await goesOn(stopped);
});

test("a reader of stdout that has gone before anything is sent: nothing is written, and the next run does it", async () => {
  const whole = await undisturbed(server.endpoint, "in flight", 40);
  await forgetOwnKeys(server.endpoint);
  const scene = await openScene(server.endpoint, "in flight", 40);
  const { cluster, directory } = scene;
  const place = ["--endpoints", cluster.endpoint, "--prefix", cluster.prefix, "--journal-dir", directory];
  const cli = startCli([...CHANGE, ...place]);
  cli.child.stdout?.destroy();
  expect(await cli.ended).toBe(130);
  expect(cli.err()).toContain("now:  none of the 40 Nodes is written");
  expect(await scene.nodes()).toEqual(whole.before);
  expect((await scene.run(["resume", "--yes"])).err).toContain("nothing to resume");
  expect((await scene.run(CHANGE)).exitCode).toBe(0);
  expect(await scene.nodes()).toEqual(whole.after);
});

test("a reader of stdout that goes in mid-run is noticed at the end: the change is done", async () => {
  const stopped = await stopIn("answer");
  const { cli, relay, scene, whole } = stopped;
  cli.child.stdout?.destroy();
  relay.release();
  expect(await cli.ended).toBe(0);
  expect(await scene.nodes()).toEqual(whole.after);
  await rollsBack(stopped);
});

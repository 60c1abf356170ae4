import { readFileSync, writeFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { Life, Lived } from "../harness/crash.js";
import { type EtcdServer, startEtcd } from "../harness/etcd.js";
import { temporaryFolder } from "../harness/folder.js";
import { undisturbed } from "./crash.js";
import { CHANGE, changesIn, forgetOwnKeys, openScene, ownKeys, runnerOf, type Scene } from "./scene.js";

let server: EtcdServer;
beforeAll(async () => {
  server = await startEtcd();
});
afterAll(() => server.stop());
beforeEach(() => forgetOwnKeys(server.endpoint));

const whole = () => undisturbed(server.endpoint, "in flight", 20);
const stateOf = async (id: string) => (await ownKeys(server.endpoint))[`/etcdcidr/changes/${id}`];

const carriedOver = (id: string) =>
  `or, to do it here, \`etcdcidr changes export ${id} FILE\` there and \`etcdcidr changes import FILE\` here`;
const LAST_RESORT =
  "or, if that journal is lost for good, `etcdcidr uninstall-records --accept unfinished-change` and plan anew from what the Nodes have";

/** Two control-plane hosts of one cluster, each with its own journals. */
interface Hosts {
  readonly scene: Scene;
  readonly one: (argv: readonly string[], life?: Life) => Promise<Lived>;
  readonly two: (argv: readonly string[], life?: Life) => Promise<Lived>;
  readonly directories: { readonly one: string; readonly two: string };
}

async function openHosts(): Promise<Hosts> {
  // Before there are any records: a new scene removes them.
  await whole();
  const scene = await openScene(server.endpoint, "in flight", 20);
  const directories = { one: scene.directory, two: temporaryFolder() };
  const on = (host: string, directory: string) => {
    const run = runnerOf(scene.cluster, directory);
    return (argv: readonly string[], life: Life = {}) => run(argv, { ...life, host });
  };
  return { scene, one: on("kube-1", directories.one), two: on("kube-2", directories.two), directories };
}

// A change of 20 Nodes one by one: so many things have happened when two of them are known to be written.
const PART_APPLIED = { killAfter: 50, unsynced: "kept" } as const;

/** Killed, and its lock has ended as it does in time. */
async function halfDone(): Promise<Hosts & { readonly id: string; readonly file: string }> {
  const hosts = await openHosts();
  await hosts.one(CHANGE, PART_APPLIED);
  await forgetLock();
  const [id = ""] = changesIn(hosts.directories.one);
  return { ...hosts, id, file: join(temporaryFolder(), "change.jsonl") };
}

describe("the record of a change", () => {
  test("is running while it runs, and done afterwards; a rollback marks what it has undone", async () => {
    const { scene, one, directories } = await openHosts();
    const running: unknown[] = [];
    await one(CHANGE, {
      beforeTxn: async ({ operations }) => {
        const isNode = operations[0]?.key.startsWith(scene.cluster.prefix) === true;
        running.push(
          ...(isNode ? Object.values(await ownKeys(server.endpoint)).map(({ state }) => state) : []),
        );
      },
    });
    expect(new Set(running)).toEqual(new Set(["running", undefined]));
    const [id = ""] = changesIn(directories.one);
    const user = userInfo().username;
    expect(await stateOf(id)).toEqual({
      id,
      operation: "change-pod-cidr",
      host: "kube-1",
      user,
      journal: join(directories.one, id),
      what: "10.112.0.0/20 -> 10.212.0.0/16",
      targets: ["10.212.0.0/16"],
      atMs: expect.any(Number),
      state: "done",
      nodes: 20,
      written: 20,
    });
    await one(["rollback", "--yes"]);
    const back = changesIn(directories.one).find((each) => each !== id) ?? "";
    expect(await stateOf(id)).toMatchObject({ state: "done", undoneBy: back });
    expect(await stateOf(back)).toMatchObject({ state: "done", operation: "rollback", of: id });
    await one(["rollback", back, "--yes"]);
    expect(await stateOf(id)).not.toHaveProperty("undoneBy");
    expect(hostname()).not.toBe("kube-1");
  });

  test("tells another host that the change is open, and where its journal lies", async () => {
    const { two, directories, id } = await halfDone();
    const { exitCode, err } = await two(CHANGE);
    expect(exitCode).toBe(3);
    expect(err).toContain("error[blocked]: a change of another host is not finished\n");
    expect(err).toContain(
      `why:  ${id} of ${userInfo().username}@kube-1 is in-doubt; its journal lies in ${join(directories.one, id)} there\n`,
    );
    expect(err).toContain(
      `next: run \`etcdcidr resume ${id}\` on kube-1; ${carriedOver(id)}; ${LAST_RESORT}\n`,
    );
    const listed = await two(["changes", "-o", "json"]);
    expect(JSON.parse(listed.out)).toMatchObject([
      {
        id,
        what: "10.112.0.0/20 -> 10.212.0.0/16",
        state: "in-doubt",
        nodes: 0,
        nodesInDoubt: 20,
        nodesInAll: 20,
        host: "kube-1",
        here: false,
      },
    ]);
    expect((await two(["changes"])).out).toMatch(
      / 10\.212\.0\.0\/16 +in-doubt +0 to 20 of 20 +on kube-1 in /,
    );
  });

  test("left open by a run that was killed after its journal was complete is put right by resume", async () => {
    const { events } = await whole();
    const { one, two, directories } = await openHosts();
    // The last thing that happens is the record.
    await one(CHANGE, { killAfter: events.length - 1, unsynced: "kept" });
    const [id = ""] = changesIn(directories.one);
    await forgetLock();
    expect(await stateOf(id)).toMatchObject({ state: "running" });
    expect((await two(CHANGE.with(1, "10.213.0.0/16"))).exitCode).toBe(3);
    const { err } = await one(["resume", "--yes"]);
    expect(err).toContain("nothing to resume");
    expect(err).toContain(`the record of ${id} in etcd was running and is put right\n`);
    expect(await stateOf(id)).toMatchObject({ state: "done" });
    expect((await two(CHANGE.with(1, "10.213.0.0/16"))).exitCode).toBe(0);
  });
});

describe("a change whose journal is on another host", () => {
  test.each([["resume"], ["rollback"]])(
    "%s, without an id or with it, says where, and the ways on",
    async (command) => {
      const { scene, two, directories, id } = await halfDone();
      const before = await scene.nodes();
      for (const named of [[], [id]]) {
        const { exitCode, err } = await two([command, ...named, "--yes"]);
        expect([exitCode, err.split("\n").slice(1)]).toEqual([
          3,
          [
            `error[blocked]: the journal of ${id} is not here`,
            `  why:  the change is in-doubt, and its journal lies in ${join(directories.one, id)} of ${userInfo().username}@kube-1`,
            "  now:  this run has written nothing",
            `  next: run \`etcdcidr ${command} ${id}\` on kube-1; ${carriedOver(id)}; ${LAST_RESORT}`,
            "",
          ],
        ]);
      }
      expect(await scene.nodes()).toEqual(before);
    },
  );

  test("here, but in another directory: it is named", async () => {
    const { scene, directories, id } = await halfDone();
    const run = runnerOf(scene.cluster, temporaryFolder());
    const { exitCode, err } = await run(["resume", "--yes"], { host: "kube-1" });
    expect(exitCode).toBe(3);
    expect(err).toContain(
      `next: run \`etcdcidr resume ${id} --journal-dir ${directories.one}\` as ${userInfo().username}; or, if`,
    );
  });

  test("and that is done: nothing to resume; a rollback says where it can be undone", async () => {
    const { one, two, directories } = await openHosts();
    await one(CHANGE);
    const [id = ""] = changesIn(directories.one);
    expect((await two(["resume", "--yes"])).exitCode).toBe(0);
    const { exitCode, err } = await two(["rollback", "--yes"]);
    expect(exitCode).toBe(3);
    expect(err).toContain(
      `why:  the change is done, and its journal lies in ${join(directories.one, id)} of `,
    );
    expect(err).toContain(`next: run \`etcdcidr rollback ${id}\` on kube-1; ${carriedOver(id)}\n`);
    await one(["rollback", "--yes"]);
    expect((await two(["rollback", "--yes"])).exitCode).toBe(0);
  });

  test("which is half done here as well, and was completed there: an earlier change is undone after that one", async () => {
    const { one, two, directories, file } = await openHosts().then((hosts) => ({
      ...hosts,
      file: join(temporaryFolder(), "change.jsonl"),
    }));
    await one(CHANGE.with(1, "10.213.0.0/16"));
    const [first = ""] = changesIn(directories.one);
    await one(CHANGE, PART_APPLIED);
    await forgetLock();
    const later = changesIn(directories.one).find((id) => id !== first) ?? "";
    await one(["changes", "export", later, file]);
    await two(["changes", "import", file]);
    expect((await two(["resume", "--yes"])).exitCode).toBe(0);
    const refused = await one(["rollback", first, "--yes"]);
    expect(refused.exitCode).toBe(3);
    expect(refused.err).toContain(`why:  ${later} changed the same Nodes later and stands\n`);
    expect(refused.err).toContain(
      `next: it was gone on with on kube-2 and is done: run \`etcdcidr rollback ${later}\` there first (its journal is ${join(directories.two, later)})\n`,
    );
    expect((await one(["resume", "--yes"])).err).toContain("nothing to resume");
    expect((await two(["rollback", "--yes"])).exitCode).toBe(0);
    expect((await one(["rollback", first, "--yes"])).exitCode).toBe(0);
  });
});

describe("a journal that is carried over", () => {
  test.each([
    { command: "resume", end: "after" },
    { command: "rollback", end: "before" },
  ] as const)("$command works there; the host that it came from finds its own out of date", async (way) => {
    const { scene, one, two, id, file, directories } = await halfDone();
    expect((await one(["changes", "export", id, file])).exitCode).toBe(0);
    const { exitCode, err } = await two(["changes", "import", file]);
    expect([exitCode, err]).toEqual([0, `the journal of ${id} is in ${directories.two} now\n`]);
    expect((await two([way.command, id, "--yes"])).exitCode).toBe(0);
    expect(await scene.nodes()).toEqual((await whole())[way.end]);
    for (const command of ["resume", "rollback"]) {
      const late = await one([command, id, "--yes"]);
      expect(late.exitCode).toBe(3);
      expect(late.err).toContain(`error[blocked]: the journal of ${id} here is out of date\n`);
    }
    expect(await scene.nodes()).toEqual((await whole())[way.end]);
    const listed = JSON.parse((await one(["changes", "-o", "json"])).out);
    expect(listed.find((row: { id: string }) => row.id === id)).toMatchObject({ here: false });
    expect((await one(CHANGE.with(1, "10.213.0.0/16"))).exitCode).toBe(0);
  });

  test("half done there as well: the first host is told who has it", async () => {
    const { one, two, id, file, directories } = await halfDone();
    await one(["changes", "export", id, file]);
    await two(["changes", "import", file]);
    await two(["resume", id, "--yes"], { killAfter: 23, unsynced: "kept" });
    expect(await stateOf(id)).toMatchObject({ host: "kube-2", journal: join(directories.two, id) });
    await forgetLock();
    const { err } = await one(CHANGE);
    expect(err).toContain(`is in-doubt; its journal lies in ${join(directories.two, id)} there\n`);
    expect((await one(["resume", "--yes"])).err).toContain("is out of date\n");
    expect((await one(["changes"])).out).toContain(
      ` on kube-2 in ${join(directories.two, id)}; the one here is out of date\n`,
    );
    expect((await two(["resume", "--yes"])).exitCode).toBe(0);
  });

  test("is not written over, neither the file nor a journal of that name", async () => {
    const { one, id, file } = await halfDone();
    await one(["changes", "export", id, file]);
    const again = await one(["changes", "export", id, file]);
    expect(again.exitCode).toBe(3);
    expect(again.err).toContain(`error[refused]: will not write over ${file}\n  why:  it is there already\n`);
    const imported = await one(["changes", "import", file]);
    expect(imported.exitCode).toBe(3);
    expect(imported.err).toContain("error[refused]: will not write over ");
  });

  test("damaged, not a journal, absent, or unknown: refused, and nothing is left behind", async () => {
    const { one, two, id, file, directories } = await halfDone();
    await one(["changes", "export", id, file]);
    const text = readFileSync(file, "utf8");
    const refused = async (content: string) => {
      writeFileSync(file, content);
      const { exitCode, err } = await two(["changes", "import", file]);
      expect(changesIn(directories.two)).toEqual([]);
      return [exitCode, err.split("\n").slice(0, 2)];
    };
    expect(await refused(text.replace("10.212.2.0/25", "10.212.2.0/26"))).toEqual([
      3,
      [`error[journal-damaged]: cannot trust the journal ${file}`, "  why:  line 6 is not as it was written"],
    ]);
    expect(await refused("hello")).toEqual([
      3,
      [`error[refused]: cannot take over ${file}`, "  why:  it does not begin as a journal does"],
    ]);
    expect(await refused("hello\n")).toEqual([
      3,
      [`error[journal-damaged]: cannot trust the journal ${file}`, "  why:  line 1 is not as it was written"],
    ]);
    const absent = await two(["changes", "import", `${file}.absent`]);
    expect([absent.exitCode, absent.err.split("\n")[0]]).toEqual([
      1,
      `error[not-found]: cannot read ${file}.absent`,
    ]);
    const unknown = await one(["changes", "export", "20261201-113000-7f3a9c", `${file}.unknown`]);
    expect([unknown.exitCode, unknown.err.split("\n")[0]]).toEqual([
      1,
      "error[not-found]: cannot export 20261201-113000-7f3a9c",
    ]);
  });

  test("of another cluster: taken over, and good for nothing there", async () => {
    const { one, id, file } = await halfDone();
    await one(["changes", "export", id, file]);
    const other = await startEtcd();
    onTestFinished(() => other.stop());
    const foreign = await openScene(other.endpoint, "in flight", 5);
    const before = await foreign.nodes();
    expect((await foreign.run(["changes", "import", file])).exitCode).toBe(0);
    for (const command of ["resume", "rollback"]) {
      const { exitCode, err } = await foreign.run([command, id, "--yes"]);
      expect(exitCode).toBe(3);
      expect(err).toContain("error[wrong-cluster]");
    }
    expect(await foreign.nodes()).toEqual(before);
  });
});

describe("uninstall-records", () => {
  test("nothing to do", async () => {
    const { one } = await openHosts();
    const { exitCode, err } = await one(["uninstall-records"]);
    expect([exitCode, err.split("\n").at(-2)]).toEqual([
      0,
      "nothing to do: etcdcidr keeps no keys in this etcd",
    ]);
  });

  test("removes the records of finished changes when the operator types their number", async () => {
    const { one, directories } = await openHosts();
    await one(CHANGE);
    await one(["rollback", "--yes"]);
    const ids = changesIn(directories.one);
    expect((await one(["uninstall-records"])).exitCode).toBe(2);
    expect(Object.keys(await ownKeys(server.endpoint))).toEqual(ids.map((id) => `/etcdcidr/changes/${id}`));
    const { exitCode, out, err } = await one(["uninstall-records", "--yes"]);
    expect([exitCode, out]).toEqual([0, ids.map((id) => `/etcdcidr/changes/${id}\n`).join("")]);
    expect(err).toContain("2 of 2 keys removed; journals stay where they are\n");
    expect(await ownKeys(server.endpoint)).toEqual({});
    expect(changesIn(directories.one)).toEqual(ids);
  });

  test("is refused while a change is open, unless that is accepted", async () => {
    const { one, two, id } = await halfDone();
    const { exitCode, err } = await two(["uninstall-records", "--yes"]);
    expect(exitCode).toBe(3);
    expect(err).toContain("error[blocked]: a change is not finished\n");
    expect(err).toContain(`${id} of ${userInfo().username}@kube-1 is in-doubt; `);
    expect((await one(["uninstall-records", "--yes", "--accept", "unfinished-change"])).exitCode).toBe(0);
    expect(await ownKeys(server.endpoint)).toEqual({});
    // The journal decides: here the change is open all the same.
    expect((await one(CHANGE)).exitCode).toBe(3);
    expect((await one(["resume", "--yes"])).exitCode).toBe(0);
  });

  test("is refused while a run holds the lock", async () => {
    const { one, two, directories } = await openHosts();
    await one(CHANGE, PART_APPLIED);
    const { exitCode, err } = await two(["uninstall-records", "--yes", "--accept", "unfinished-change"]);
    const [id] = changesIn(directories.one);
    expect(exitCode).toBe(3);
    expect(err).toContain("error[blocked]: another run is under way\n");
    expect(err).toMatch(
      new RegExp(
        `why: {2}the lock is held by change ${id} of \\S+@kube-1, pid \\d+, since \\S+Z; it runs, or has ended less than 15 s ago\n`,
      ),
    );
  });

  test("takes the lock of a dead process of this host along", async () => {
    const { one } = await openHosts();
    await one(CHANGE, PART_APPLIED);
    const { exitCode, out } = await one(["uninstall-records", "--yes", "--accept", "unfinished-change"]);
    expect([exitCode, out]).toEqual([
      0,
      expect.stringMatching(/^\/etcdcidr\/changes\/\S+\n\/etcdcidr\/lock\n$/),
    ]);
    expect(await ownKeys(server.endpoint)).toEqual({});
  });
});

async function forgetLock(): Promise<void> {
  await forgetOwnKeys(server.endpoint, "lock");
}

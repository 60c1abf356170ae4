import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { escapeText } from "../../src/cli/escape-text.js";
import { renderData } from "../../src/cli/render-data.js";
import { renderTable } from "../../src/cli/render-table.js";
import { runCli } from "../harness/cli.js";
import { type Cluster, loadCluster, stoppedCluster, withFields } from "../harness/cluster.js";
import { type EtcdServer, startEtcd } from "../harness/etcd.js";
import { temporaryFolder } from "../harness/folder.js";

let server: EtcdServer;
beforeAll(async () => {
  server = await startEtcd();
});
afterAll(() => server.stop());

/** Colours, clears the screen, rings, sets the window's title, goes back to the line's start, and turns the text round. */
const NASTY = "\u001b[31mred\u001b[2J\u0007\u001b]0;title\u0007\rover\u009b31m\u202eback\u200b";
/** Anything that a terminal acts upon; a line feed is ours. */
const ACTIVE = /(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/u;

async function nastyCluster(): Promise<Cluster> {
  const keys = stoppedCluster("v1.36-single").map(({ key, value }) => ({
    key: key.replace("minions/worker-1", `minions/${NASTY}`),
    value: key === "minions/worker-1" ? withFields(value, { "metadata.name": NASTY }) : value,
  }));
  return loadCluster(server.endpoint, keys);
}

describe("a Node whose stored name and key are full of control characters", () => {
  test.each(["text", "json", "yaml"])("never reaches the terminal raw: -o %s", async (format) => {
    const cluster = await nastyCluster();
    const flags = [
      "--endpoints",
      cluster.endpoint,
      "--prefix",
      cluster.prefix,
      "--journal-dir",
      temporaryFolder(),
    ];
    const change = ["change-pod-cidr", "10.212.0.0/16", "--node-cidr-mask-size", "22", "-o", format];
    const asked: string[] = [];
    const lines = [
      [...change, "--dry-run"],
      [...change, "--node", `${NASTY}?`],
      [...change, "--node", NASTY],
      ["changes", "-o", format],
      ["rollback", "--yes", "-o", format],
      ["change-pod-cidr", "10.212.0.0/30", "--yes", "-o", format],
    ];
    for (const line of lines) {
      const { text } = await runCli([...line, ...flags], {
        interactive: true,
        ask: async (question) => {
          asked.push(question);
          return "1";
        },
      });
      expect(text).not.toMatch(ACTIVE);
      expect(text.length).toBeGreaterThan(50);
    }
    expect(asked.length).toBe(1);
    expect(asked[0]).not.toMatch(ACTIVE);
    expect(asked[0]).toContain("\\u001b[31mred");
  });

  test("neither does it when it cannot be read, nor in a stack trace", async () => {
    const cluster = await nastyCluster();
    await cluster.put(`minions/${NASTY}`, Buffer.from("k8s\0\xff"));
    const flags = ["--endpoints", cluster.endpoint, "--prefix", cluster.prefix, "--debug"];
    const { text, exitCode } = await runCli(["change-pod-cidr", "10.212.0.0/16", ...flags]);
    expect(exitCode).toBe(3);
    expect(text).toContain("\\u001b[31mred");
    expect(text).toContain("\n    at ");
    expect(text).not.toMatch(ACTIVE);
  });
});

test("what is escaped is told by its code point", () => {
  expect(escapeText("a\u001bb\u009bc\u202ed\u2028e\u{e0001}f\nü€😀")).toBe(
    "a\\u001bb\\u009bc\\u202ed\\u2028e\\ue0001f\\u000aü€😀",
  );
});

test("columns are as wide as what is printed", () => {
  expect(
    renderTable(
      ["NAME", "NEW"],
      [
        ["a\u001b", "x"],
        ["b", "y"],
      ],
    ),
  ).toEqual(["NAME     NEW", "a\\u001b  x", "b        y"]);
});

test("data says the same after it is parsed again", async () => {
  const data = { name: NASTY, [NASTY]: [NASTY, "plain", "no: yes", "line\nfeed"], big: 2n ** 63n };
  const parsed = { ...data, big: "9223372036854775808" };
  const { parse } = await import("yaml");
  expect(JSON.parse(await renderData(data, "json"))).toEqual(parsed);
  expect(parse(await renderData(data, "yaml"))).toEqual(parsed);
});

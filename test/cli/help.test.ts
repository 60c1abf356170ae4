import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { createProgram } from "../../src/cli/program.js";
import { runCli } from "../harness/cli.js";

const SILENT = {
  out: () => undefined,
  err: () => undefined,
  interactive: false,
  ask: async () => undefined,
  errIsTerminal: false,
  style: (_style: unknown, text: string) => text,
};

/** Every global flag with a value of its own; the last column is what it is read as. */
const GLOBAL_FLAGS: readonly (readonly [string, string | undefined, string, unknown])[] = [
  ["--endpoints", "10.0.0.1:2379", "endpoints", "10.0.0.1:2379"],
  ["--endpoint", "10.0.0.1:2379", "endpoint", "10.0.0.1:2379"],
  ["--cacert", "ca.crt", "cacert", "ca.crt"],
  ["--cert", "client.crt", "cert", "client.crt"],
  ["--key", "client.key", "key", "client.key"],
  ["--user", "root", "user", "root"],
  ["--password", "secret", "password", "secret"],
  ["--dial-timeout", "3s", "dialTimeout", "3s"],
  ["--command-timeout", "4s", "commandTimeout", "4s"],
  ["--prefix", "/other", "prefix", "/other"],
  ["--journal-dir", "/journals", "journalDir", "/journals"],
  ["--yes", undefined, "yes", true],
  ["-y", undefined, "yes", true],
  ["--accept", "not-private", "accept", ["not-private"]],
  ["--output", "json", "output", "json"],
  ["-o", "yaml", "output", "yaml"],
  ["--debug", undefined, "debug", true],
];

/** The commands that do something, by their whole name, with as many words as they need. */
function commandLines(): readonly (readonly string[])[] {
  return leaves(createProgram("0.0.0", SILENT, () => undefined)).map(({ path, command }) => [
    ...path,
    ...command.registeredArguments.filter(({ required }) => required).map(() => "word"),
  ]);
}

interface Leaf {
  readonly path: readonly string[];
  readonly command: Command;
}

function leaves(program: Command): readonly Leaf[] {
  return program.commands.flatMap((command) => [
    { path: [command.name()], command },
    ...leaves(command).map((leaf) => ({ ...leaf, path: [command.name(), ...leaf.path] })),
  ]);
}

/** What the command sees of the flags. */
async function optionsSeen(argv: readonly string[]): Promise<unknown> {
  const program = createProgram("0.0.0", SILENT, () => undefined);
  const seen: unknown[] = [];
  for (const { command } of leaves(program)) {
    command.action(() => {
      seen.push(command.optsWithGlobals());
    });
  }
  await program.parseAsync([...argv], { from: "user" });
  return seen[0];
}

test("the commands are these", () => {
  expect(commandLines().map((words) => words.filter((word) => word !== "word").join(" "))).toEqual([
    "change-pod-cidr",
    "rollback",
    "resume",
    "apply",
    "changes",
    "changes export",
    "changes import",
    "verify",
    "uninstall-records",
    "members",
    "snapshot",
    "snapshot save",
    "snapshot status",
    "member-readd",
  ]);
});

describe.each(commandLines().map((words) => [words.join(" "), words] as const))("%s", (_line, words) => {
  test.each(GLOBAL_FLAGS)("takes %s before and after its name", async (flag, value, name, read) => {
    const given = [flag, value].filter((word) => word !== undefined);
    expect(await optionsSeen([...given, ...words])).toMatchObject({ [name]: read });
    expect(await optionsSeen([...words, ...given])).toMatchObject({ [name]: read });
  });

  test("takes some before and some after", async () => {
    const argv = ["--accept", "not-private", "-o", "json", ...words, "--accept", "operator-owned", "--yes"];
    expect(await optionsSeen(argv)).toMatchObject({
      accept: ["not-private", "operator-owned"],
      output: "json",
      yes: true,
    });
  });

  test("has a help that lists the global flags and ends with two examples of it", async () => {
    const name = words.filter((word) => word !== "word");
    const { out, err, exitCode } = await runCli([...name, "--help"]);
    expect(exitCode).toBe(0);
    expect(err).toBe("");
    expect(out).toContain("\nGlobal Options:\n");
    for (const flag of shownFlags()) expect(out).toMatch(new RegExp(`^ +(-., )?${flag}( |$)`, "m"));
    const [, examples = ""] = out.split("\nExamples:\n");
    const lines = examples.trimEnd().split("\n");
    expect(lines.length).toBe(2);
    expect(lines[0]).toContain(`  etcdcidr ${name.join(" ")}`);
  });
});

/** `--endpoint` is taken and not shown. */
function shownFlags(): readonly string[] {
  return GLOBAL_FLAGS.map(([flag]) => flag).filter((flag) => flag.startsWith("--") && flag !== "--endpoint");
}

test("the help of the program lists all commands and ends with two examples", async () => {
  const { out, err, exitCode } = await runCli(["--help"]);
  expect(exitCode).toBe(0);
  expect(err).toBe("");
  for (const [name = ""] of commandLines()) expect(out).toMatch(new RegExp(`^ {2}${name} `, "m"));
  expect(out.trimEnd().split("\n").slice(-3)).toEqual([
    "Examples:",
    "  etcdcidr change-pod-cidr 10.212.0.0/16 --node-cidr-mask-size 22 --dry-run",
    "  etcdcidr rollback",
  ]);
});

test("without a command the help goes to stderr, exit 2", async () => {
  const { out, err, exitCode } = await runCli([]);
  expect(exitCode).toBe(2);
  expect(out).toBe("");
  expect(err).toContain("\nCommands:\n");
  expect(err).toContain("\nExamples:\n");
});

test("the version is the package's", async () => {
  expect(await runCli(["--version"])).toMatchObject({ out: "0.1.0\n", err: "", exitCode: 0 });
});

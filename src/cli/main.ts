import { type Command, CommanderError } from "commander";
import { packageVersion } from "../adapters/package-files.js";
import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import { exitCodeOf } from "./exit-code.js";
import { type Io, processIo } from "./io.js";
import { createProgram } from "./program.js";
import { renderError, renderStack } from "./render-error.js";

/** Runs one command line; returns the exit code. */
export async function main(argv: readonly string[], io: Io = processIo()): Promise<number> {
  let exitCode = 0;
  const program = createProgram(packageVersion(), io, (code) => {
    exitCode = code;
  });
  try {
    if (argv.length === 0) {
      program.outputHelp({ error: true });
      return exitCodeOf("usage");
    }
    await program.parseAsync([...argv], { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const explained = explain(error, commandIn(argv, program));
    io.err(renderError(explained));
    if (argv.includes("--debug")) io.err(renderStack(error));
    return exitCodeOf(explained.code);
  }
}

/** The command that was given, with a blank before it; empty where there is none. */
function commandIn(argv: readonly string[], program: Command): string {
  const names = program.commands.map((command) => command.name());
  const name = argv.find((arg) => names.includes(arg));
  return name === undefined ? "" : ` ${name}`;
}

function explain(error: unknown, command: string): EtcdcidrError {
  if (error instanceof EtcdcidrError) return error;
  if (error instanceof CommanderError) return usageError(error, command);
  return new EtcdcidrError(
    "internal",
    {
      what: "etcdcidr met a fault of its own",
      why: error instanceof Error ? error.message : String(error),
      now: "what was written so far is in the journal; `etcdcidr changes` lists it",
      next: "run the command again with --debug, and report what it prints",
    },
    { cause: error },
  );
}

/** commander writes sentences; the four lines are none. */
function usageError({ message }: CommanderError, command: string): EtcdcidrError {
  const why = message
    .replace(/^error: /, "")
    .replaceAll(/\.(?=\n|$)/g, "")
    .replaceAll("\n", " ")
    .replaceAll(/\. ([A-Za-z])/g, (_end, letter: string) => `; ${letter.toLowerCase()}`);
  return new EtcdcidrError("usage", {
    what: "cannot understand this command line",
    why,
    now: NOTHING_WRITTEN,
    next: `\`etcdcidr${command} --help\` lists what can be given`,
  });
}

import { CommanderError } from "commander";
import { packageVersion } from "../adapters/package-files.js";
import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import { exitCodeOf } from "./exit-code.js";
import { type Io, processIo } from "./io.js";
import { createProgram } from "./program.js";
import { renderError } from "./render-error.js";

/** Runs one command line; returns the exit code. */
export async function main(argv: readonly string[], io: Io = processIo()): Promise<number> {
  let exitCode = 0;
  const program = createProgram(packageVersion(), io, (code) => {
    exitCode = code;
  });
  try {
    if (argv.length === 0) {
      io.out(program.helpInformation());
      return exitCodeOf("usage");
    }
    await program.parseAsync([...argv], { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const explained = explain(error);
    io.err(renderError(explained));
    if (argv.includes("--debug") && error instanceof Error) io.err(`${error.stack}\n`);
    return exitCodeOf(explained.code);
  }
}

function explain(error: unknown): EtcdcidrError {
  if (error instanceof EtcdcidrError) return error;
  if (error instanceof CommanderError) return usageError(error);
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

function usageError({ message }: CommanderError): EtcdcidrError {
  const [what = "", ...more] = message.replace(/^error: /, "").split("\n");
  return new EtcdcidrError("usage", {
    what: "cannot understand this command line",
    why: [what.replace(/\.$/, ""), ...more].join(" "),
    now: NOTHING_WRITTEN,
    next: "`etcdcidr <command> --help` lists the flags",
  });
}

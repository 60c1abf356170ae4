import { main } from "../../src/cli/main.js";
import type { Io } from "../../src/cli/io.js";

/** What a command printed, and how it ended. */
export interface CliRun {
  readonly out: string;
  readonly err: string;
  /** Both, as a terminal shows them. */
  readonly text: string;
  readonly exitCode: number;
}

/** Runs a command line in this process, without a terminal unless `io` says otherwise. */
export async function runCli(argv: readonly string[], io: Partial<Io> = {}): Promise<CliRun> {
  const printed: { to: "out" | "err"; text: string }[] = [];
  const exitCode = await main(argv, {
    out: (text) => printed.push({ to: "out", text }),
    err: (text) => printed.push({ to: "err", text }),
    interactive: false,
    ask: async () => undefined,
    errIsTerminal: false,
    style: (_style, text) => text,
    ...io,
  });
  const textOf = (to: "out" | "err") =>
    printed
      .filter((each) => each.to === to)
      .map(({ text }) => text)
      .join("");
  return { out: textOf("out"), err: textOf("err"), text: printed.map(({ text }) => text).join(""), exitCode };
}

import type { Io } from "../../src/cli/io.js";
import { main } from "../../src/cli/main.js";

/** What a command printed, and how it ended. */
export interface CliRun {
  readonly out: string;
  readonly err: string;
  /** Both, as a terminal shows them. */
  readonly text: string;
  readonly exitCode: number;
}

export interface CliOptions extends Partial<Io> {
  /** Somebody who answers so, in this order; undefined is Ctrl-C. */
  readonly answers?: readonly (string | undefined)[];
}

/** Runs a command line in this process, without a terminal unless the options say otherwise. */
export async function runCli(
  argv: readonly string[],
  { answers = [], ...io }: CliOptions = {},
): Promise<CliRun> {
  const left = [...answers];
  const printed: { to: "out" | "err"; text: string }[] = [];
  const exitCode = await main(argv, {
    out: (text) => printed.push({ to: "out", text }),
    err: (text) => printed.push({ to: "err", text }),
    interactive: answers.length > 0,
    async ask(question) {
      const answer = left.shift();
      printed.push({ to: "err", text: `${question}: ${answer ?? "^C"}\n` });
      return answer;
    },
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

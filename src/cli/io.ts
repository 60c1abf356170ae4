import { styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

/** Where output goes: data to `out`, everything else to `err`. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  /** Whether a person can be asked. */
  readonly interactive: boolean;
  /** The answer to a question, undefined when it was not given. */
  ask(question: string): Promise<string | undefined>;
  /** Whether progress may redraw its line. */
  readonly errIsTerminal: boolean;
  style(style: Style, text: string): string;
}

export function processIo(): Io {
  // A reader that has gone (`| head`) is no fault; a run that is under way notices it as a wish to end.
  process.stdout.on("error", () => undefined);
  process.stderr.on("error", () => undefined);
  const coloured = process.stdout.isTTY === true && !process.env["NO_COLOR"];
  return {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    interactive: process.stdin.isTTY === true && process.stdout.isTTY === true,
    ask,
    errIsTerminal: process.stderr.isTTY === true,
    style: (style, text) => (coloured ? styleText(style, text) : text),
  };
}

async function ask(question: string): Promise<string | undefined> {
  const { isCancel, text } = await import("@clack/prompts");
  const answer = await text({ message: question });
  return isCancel(answer) ? undefined : answer;
}

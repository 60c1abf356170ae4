import { styleText } from "node:util";
import { expectReadersToGo } from "../adapters/interrupts.js";

type Style = Parameters<typeof styleText>[0];

/** Where output goes: data to `out`, everything else to `err`. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  /** Whether a person sees the plan and the question, and can answer. */
  readonly interactive: boolean;
  /** The answer to a question, undefined when it was not given. */
  ask(question: string): Promise<string | undefined>;
  /** Whether progress may redraw its line. */
  readonly errIsTerminal: boolean;
  style(style: Style, text: string): string;
}

export function processIo(): Io {
  expectReadersToGo();
  const coloured = process.stdout.isTTY === true && !process.env["NO_COLOR"];
  return {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    interactive: [process.stdin, process.stdout, process.stderr].every(({ isTTY }) => isTTY === true),
    ask,
    errIsTerminal: process.stderr.isTTY === true,
    style: (style, text) => (coloured ? styleText(style, text) : text),
  };
}

async function ask(question: string): Promise<string | undefined> {
  const { isCancel, text } = await import("@clack/prompts");
  const answer = await text({ message: question, output: process.stderr });
  return isCancel(answer) ? undefined : answer;
}

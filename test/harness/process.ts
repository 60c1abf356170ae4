import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** The command as it is installed; `npm run build` makes what it loads. */
export const BIN: string = fileURLToPath(new URL("../../bin/etcdcidr.js", import.meta.url));

export interface ProcessRun {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
}

/** This process's environment without what may be set for another etcd or decides on colour (CI too), and with what is given. */
export function environment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(ETCDCTL_|NO_COLOR|FORCE_COLOR|NODE_|CI$)/.test(name),
  );
  return { ...Object.fromEntries(own), ...more };
}

/** Runs the command as a process of its own, without a terminal. */
export function runProcess(argv: readonly string[], env: NodeJS.ProcessEnv = {}): ProcessRun {
  const { stdout, stderr, status } = spawnSync(process.execPath, [BIN, ...argv], {
    env: environment(env),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  return { stdout, stderr, exitCode: status };
}

/** Runs the command and kills it once this text is on stderr; true when it came to that. */
export async function killWhen(argv: readonly string[], text: string): Promise<boolean> {
  const child = spawn(process.execPath, [BIN, ...argv], { env: environment() });
  let seen = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    seen += chunk;
    if (seen.includes(text)) child.kill("SIGKILL");
  });
  await once(child, "close");
  return seen.includes(text);
}

/** Whether `script` of util-linux is there, which gives a command a terminal. */
export const hasScript: boolean = spawnSync("script", ["--version"]).status === 0;

/** A command on a terminal, with somebody who reads and types. */
export interface TerminalProcess {
  /** Everything that was printed so far. */
  text(): string;
  /** Returns when the text has been printed. */
  seen(text: string): Promise<void>;
  type(keys: string): void;
  /** The exit code. */
  ended(): Promise<number>;
}

export function runOnTerminal(argv: readonly string[], env: NodeJS.ProcessEnv = {}): TerminalProcess {
  const command = [process.execPath, BIN, ...argv].map((word) => `'${word}'`).join(" ");
  const child: ChildProcess = spawn("script", ["-qefc", `stty cols 200; ${command}`, "/dev/null"], {
    env: environment({ TERM: "xterm", ...env }),
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  let printed = "";
  let wakeUp = (): void => undefined;
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
    wakeUp();
  });
  const exited = once(child, "close");
  return {
    text: () => printed,
    async seen(text) {
      while (!printed.includes(text)) {
        const more = new Promise<void>((resolve) => {
          wakeUp = resolve;
        });
        const gone = exited.then(() => {
          if (!printed.includes(text)) throw new Error(`ended without printing ${text}:\n${printed}`);
        });
        await Promise.race([more, gone]);
      }
    },
    type: (keys) => child.stdin?.write(keys),
    async ended() {
      const [code] = await exited;
      return Number(code);
    },
  };
}

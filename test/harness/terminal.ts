import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { type CliOptions, type CliRun, runCli } from "./cli.js";
import { temporaryFolder } from "./folder.js";

/** What an operator types and reads, as a text to keep. */
export interface Terminal {
  /** Holds the journals and what commands write. */
  readonly folder: string;
  /** Runs `etcdcidr` with these words; a word that ends in .json is a file of the terminal's folder. */
  run(line: string, options?: CliOptions): Promise<CliRun>;
  /** The same with somebody there who answers. */
  ask(line: string, answer: string | undefined): Promise<CliRun>;
  /** A line about what happens outside. */
  note(text: string): void;
  /** Compares with test/transcripts/cli/NAME.txt, or writes it when UPDATE_TRANSCRIPTS is 1. */
  expectTranscript(name: string): void;
}

/** A terminal of a host from which this etcd is reached; the endpoint and the journals' directory need not be typed. */
export function openTerminal(endpoint: string): Terminal {
  const folder = temporaryFolder();
  const journals = join(folder, "journals");
  const lines: string[] = [];
  const run = async (line: string, options: CliOptions = {}) => {
    const words = line.split(" ").filter((word) => word !== "");
    const argv = words.map((word) => (word.endsWith(".json") ? join(folder, word) : word));
    const given = words.includes("--endpoints") ? [] : ["--endpoints", endpoint];
    const result = await runCli([...argv, ...given, "--journal-dir", journals], options);
    lines.push(`$ etcdcidr ${line}`, `${result.text.trimEnd()}`, `(exit ${result.exitCode})`, "");
    return result;
  };
  return {
    folder,
    run,
    ask(line, answer) {
      return run(line, { answers: [answer] });
    },
    note: (text) => lines.push(`# ${text}`, ""),
    expectTranscript(name) {
      const replaced = [
        [journals, "/var/lib/etcdcidr"],
        [`${folder}/`, ""],
        [new URL(`http://${endpoint}`).host, "127.0.0.1:2379"],
      ] as const;
      const text = replaced.reduce((all, [from, to]) => all.replaceAll(from, to), lines.join("\n"));
      compare(name, withoutChance(text));
    },
  };
}

/** The text with constants of the same length for what differs from run to run. */
function withoutChance(text: string): string {
  // YAML puts quotes around an id that happens to look like a number.
  const unquoted = text.replaceAll(/^( +id: )"([0-9a-f]{12})"$/gm, "$1$2");
  return numbered(
    numbered(unquoted, /\b\d{8}-\d{6}-[0-9a-f]{6}\b/g, (n) => `20261201-113000-${n.padStart(6, "0")}`),
    /(?<=plan {6}|plan |^ +"?id"?: "?)[0-9a-f]{12}\b/gm,
    (n) => n.padStart(12, "0"),
  )
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "2026-12-01T11:30:00Z")
    .replaceAll(/(?<=etcd cluster |this is )[0-9a-f]{14,16}\b/g, "daea43bb4a4c6fb3")
    .replaceAll(/^etcd \d+\.\d+\.\d+/gm, "etcd 3.6.16")
    .replaceAll(/(?<=revision )\d+/g, "N")
    .replaceAll(/(?<=\b(readAt|modRevision|verifiedAt|etcdId|nowMs)"?: "?)\d+/g, "N")
    .replaceAll(/(?<=^ +"?\/registry\/minions\/[^ "]+"?: ")\d+/gm, "N")
    .replaceAll(/(?<=^[ -]+"?host"?: "?)[^\s",]+/gm, "kube-1")
    .replaceAll(/(?<=^[ -]+"?user"?: "?)[^\s",]+/gm, "root")
    .replaceAll(/\d+ a second, \d+ s left/g, "N a second, N s left")
    .replaceAll(`${userInfo().username}@${hostname()}`, "root@kube-1")
    .replaceAll(`on ${hostname()} `, "on kube-1 ");
}

/** Every distinct match becomes the text for its place in the order of appearance. */
function numbered(text: string, pattern: RegExp, name: (number: string) => string): string {
  const seen: string[] = [];
  return text.replaceAll(pattern, (match) => {
    if (!seen.includes(match)) seen.push(match);
    return name(String(seen.indexOf(match) + 1));
  });
}

function compare(name: string, text: string): void {
  const path = new URL(`../transcripts/cli/${name}.txt`, import.meta.url);
  if (process.env["UPDATE_TRANSCRIPTS"] === "1") {
    mkdirSync(dirname(path.pathname), { recursive: true });
    writeFileSync(path, text);
  }
  expect(text).toBe(readFileSync(path, "utf8"));
}

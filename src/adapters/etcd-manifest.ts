import { isScalar, isSeq, parseDocument, type Scalar } from "yaml";
import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import { manifestFlags } from "./discovery-manifest.js";
import { type EtcdConfiguration, etcdConfiguration } from "./etcd-configuration.js";

/** What a static Pod's manifest says of the member that it starts. Throws `refused` where it does not say which one. */
export function readEtcdManifest(text: string, path: string): EtcdConfiguration {
  const version = /\bimage:\s*\S*etcd:v?(\d+\.\d+\.\d+)/.exec(text)?.[1];
  const configuration = etcdConfiguration(manifestFlags(text), version);
  if (configuration === undefined) throw incomplete(path);
  return configuration;
}

/** Sets flags of etcd's command; every other byte stays. One that is not there comes behind `--name`. */
export function editEtcdManifest(text: string, flags: ReadonlyMap<string, string>): string {
  const words = commandWords(text);
  const edits = [...flags].map(([flag, value]) => editOf(flag, value, words, text));
  return edits
    .sort((left, right) => right.start - left.start)
    .reduce((all, { start, end, put }) => all.slice(0, start) + put + all.slice(end), text);
}

interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

function editOf(
  flag: string,
  value: string,
  words: readonly Word[],
  text: string,
): { readonly start: number; readonly end: number; readonly put: string } {
  const own = words.find((word) => word.text.startsWith(`--${flag}=`));
  const word = own ?? words.find((each) => each.text.startsWith("--name="));
  if (word === undefined) throw new Error("the manifest has no --name=");
  const first = text.charAt(word.start);
  const quote = first === '"' || first === "'" ? first : "";
  const put = `${quote}--${flag}=${value}${quote}`;
  if (own !== undefined) return { start: word.start, end: word.end, put };
  const before = text.slice(text.lastIndexOf("\n", word.start) + 1, word.start);
  const lineEnd = text.indexOf("\n", word.end);
  const at = lineEnd < 0 ? text.length : lineEnd;
  return { start: at, end: at, put: `\n${before}${put}` };
}

/** The words of the command or the arguments that have `--name=`, with their places. */
function commandWords(text: string): readonly Word[] {
  const document = parseDocument(text);
  const lists = [0, 1, 2, 3].flatMap((container) =>
    ["command", "args"].map((list) => document.getIn(["spec", "containers", container, list])),
  );
  for (const list of lists) {
    const words = isSeq(list) ? list.items.filter(isTextScalar).map(wordOf) : [];
    if (words.some((word) => word.text.startsWith("--name="))) return words;
  }
  return [];
}

function isTextScalar(item: unknown): item is Scalar<string> {
  return isScalar(item) && typeof item.value === "string";
}

function wordOf({ value, range }: Scalar<string>): Word {
  const [start = 0, end = 0] = range ?? [];
  return { text: value, start, end };
}

function incomplete(path: string): EtcdcidrError {
  return new EtcdcidrError("refused", {
    what: `${path} does not tell which member of etcd it starts`,
    why: "--name, --data-dir and --initial-advertise-peer-urls are not all there",
    now: NOTHING_WRITTEN,
    next: "check the manifest, or give --name, --peer-url and --data-dir and start etcd yourself",
  });
}

import type { StoredObject } from "../schema/schema.js";
import { recordsAt, stringAt, stringsAt } from "./fields.js";

export type Component = "kube-controller-manager" | "kube-apiserver" | "cloud-controller-manager";

/** A control-plane component on one host, read from its mirror Pod. */
export interface ComponentFlags {
  readonly component: Component;
  readonly node: string;
  readonly key: string;
  /** Flag name without dashes -> value; a flag without a value is "true". */
  readonly flags: ReadonlyMap<string, string>;
}

const COMPONENTS: readonly Component[] = [
  "kube-controller-manager",
  "kube-apiserver",
  "cloud-controller-manager",
];

/** The flags of a control-plane Pod; undefined for any other Pod. */
export function readComponentFlags(key: string, { object }: StoredObject): ComponentFlags | undefined {
  const name = stringAt(object, "metadata", "name") ?? "";
  const component = COMPONENTS.find(
    (candidate) =>
      stringAt(object, "metadata", "labels", "component") === candidate || name.startsWith(candidate),
  );
  if (component === undefined) return undefined;
  const words = recordsAt(object, "spec", "containers").flatMap((container) => [
    ...stringsAt(container, "command"),
    ...stringsAt(container, "args"),
  ]);
  return { component, node: stringAt(object, "spec", "nodeName") ?? "", key, flags: parseFlags(words) };
}

/** Flags as Go's pflag reads them: `--name=value`, `--name value`, `--name` alone for a boolean; the last one wins. */
function parseFlags(words: readonly string[]): Map<string, string> {
  const flags = new Map<string, string>();
  for (const [index, word] of words.entries()) {
    const match = /^--?([a-z][a-z0-9-]*)(?:=(.*))?$/s.exec(word);
    if (match?.[1] === undefined) continue;
    const following = words[index + 1];
    const separate = following !== undefined && !following.startsWith("-") ? following : "true";
    flags.set(match[1], match[2] ?? separate);
  }
  return flags;
}

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
  /** Of Kubernetes 1, from the image's tag; absent where the tag is no version. */
  readonly minor?: number;
}

const COMPONENTS: readonly Component[] = [
  "kube-controller-manager",
  "kube-apiserver",
  "cloud-controller-manager",
];

/** The flags of a control-plane Pod; undefined for any other Pod. */
export function readComponentFlags(key: string, { object }: StoredObject): ComponentFlags | undefined {
  const containers = recordsAt(object, "spec", "containers");
  const component = COMPONENTS.find(
    (candidate) =>
      stringAt(object, "metadata", "labels", "component") === candidate ||
      containers.some((container) => stringAt(container, "name") === candidate),
  );
  if (component === undefined) return undefined;
  const words = containers
    .flatMap((container) => [...stringsAt(container, "command"), ...stringsAt(container, "args")])
    .flatMap(wordsOf);
  const minor = containers.map((container) => minorOf(stringAt(container, "image") ?? "")).find(Boolean);
  return {
    component,
    node: stringAt(object, "spec", "nodeName") ?? "",
    key,
    flags: parseFlags(words),
    ...(minor === undefined ? {} : { minor }),
  };
}

/** `registry.k8s.io/kube-apiserver:v1.36.3`, and the same with a digest behind it. */
function minorOf(image: string): number | undefined {
  const minor = /:v1\.(\d+)\./.exec(image)?.[1];
  return minor === undefined ? undefined : Number(minor);
}

/** A shell's whole command line may be one argument. */
function wordsOf(argument: string): readonly string[] {
  return argument.includes(" --") ? argument.split(/\s+/) : [argument];
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

import { parse } from "yaml";

/** The values of a component's flags in a static Pod's manifest, by the flag's name without dashes. */
export function manifestFlags(text: string): ReadonlyMap<string, string> {
  return flagsIn(wordsOf(parse(text)));
}

/** The values of the flags in a command's words. */
export function flagsIn(words: readonly string[]): ReadonlyMap<string, string> {
  const flags = new Map<string, string>();
  words.forEach((word, index) => {
    const [, name, value] = /^--([a-z0-9-]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (name !== undefined) {
      flags.set(name, unquoted(value ?? words[index + 1] ?? ""));
    }
  });
  return flags;
}

/** Commands and arguments of all containers; one that goes through a shell (kOps) is taken apart at its spaces. */
function wordsOf(pod: unknown): readonly string[] {
  return listAt(pod, "spec", "containers")
    .flatMap((container) => [...listAt(container, "command"), ...listAt(container, "args")])
    .flatMap((word) => (typeof word === "string" ? word.trim().split(/\s+/) : []));
}

function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = path.reduce<unknown>(
    (at, name) => (typeof at === "object" && at !== null ? Reflect.get(at, name) : undefined),
    value,
  );
  return Array.isArray(found) ? found : [];
}

function unquoted(text: string): string {
  return text.replace(/^(["'])(.*)\1$/s, "$2");
}

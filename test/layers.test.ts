import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { expect, test } from "vitest";
import { type Import, importsOf, isImpure } from "./harness/imports.js";

/** Who may import what besides itself: the table of the design. A layer is a folder of src or a file directly in it. */
interface Rule {
  readonly layers: readonly string[];
  /** Layers of which types alone may be imported. */
  readonly types?: readonly string[];
  /** npm packages and `node:` modules; `*` is any. */
  readonly modules?: readonly string[];
}

const CORE = ["errors", "cidr", "storage", "schema", "objects", "plan", "reconcile"];

const RULES: Readonly<Record<string, Rule>> = {
  errors: { layers: [] },
  cidr: { layers: ["errors"] },
  storage: { layers: ["errors"], modules: ["jsonc-parser", "yaml", "@noble/ciphers", "node:crypto"] },
  schema: { layers: ["storage", "errors"], modules: ["protobufjs"] },
  objects: { layers: ["cidr", "schema", "storage", "errors"] },
  plan: { layers: ["cidr", "objects", "schema", "storage", "errors"] },
  reconcile: { layers: ["cidr", "plan", "errors"] },
  ports: { layers: [], types: ["storage", "schema", "plan", "reconcile"] },
  run: { layers: ["plan", "reconcile", "objects", "storage", "ports", "errors"], types: ["schema"] },
  adapters: { layers: ["ports", "errors"], types: ["storage", "plan", "reconcile"], modules: ["*"] },
  cli: { layers: [...CORE, "ports", "run", "adapters"], modules: ["*"] },
  index: { layers: [...CORE, "ports", "run", "adapters"] },
};

/** The one file that imports protobufjs is loaded only by commands that write, so nobody imports it statically. */
const SECOND_READER_LIBRARY = "protobufjs";

type Sources = ReadonlyMap<string, string>;

/** Every breach of the table, as `FILE: what is wrong`. */
function breaches(sources: Sources): readonly string[] {
  const all = [...sources].flatMap(([file, text]) =>
    importsOf(file, text).map((each) => ({ file, ...each })),
  );
  const secondReaders = new Set(
    all.filter(({ specifier = "" }) => isModule(specifier, SECOND_READER_LIBRARY)).map(({ file }) => file),
  );
  return [
    ...[...sources.keys()]
      .filter((file) => !(layerOf(file) in RULES))
      .map((file) => `${file}: lies in no layer`),
    ...all.flatMap((each) => breachOfTable(each.file, each).map((what) => `${each.file}: ${what}`)),
    ...[...secondReaders]
      .slice(1)
      .map((file) => `${file}: a second file that imports ${SECOND_READER_LIBRARY}`),
    ...all
      .filter(
        (each) => each.form === "static" && secondReaders.has(targetOf(each.file, each.specifier ?? "")),
      )
      .map((each) => `${each.file}: imports the second reader statically`),
  ];
}

function breachOfTable(file: string, { specifier, form }: Import): readonly string[] {
  const rule = RULES[layerOf(file)];
  if (rule === undefined) return [];
  if (specifier === undefined) return ["imports what is computed"];
  if (!specifier.startsWith(".")) {
    const allowed = (rule.modules ?? []).some((name) => name === "*" || isModule(specifier, name));
    return allowed ? [] : [`imports ${specifier}`];
  }
  const target = targetOf(file, specifier);
  if (!target.startsWith("src/")) return [`imports ${target}`];
  if (target.startsWith("src/cli/commands/") && !/^src\/cli\/program(-[a-z]+)?\.ts$/.test(file))
    return ["imports a command's file"];
  const layers = [layerOf(file), ...rule.layers, ...(form === "type" ? (rule.types ?? []) : [])];
  return layers.includes(layerOf(target))
    ? []
    : [`imports ${form === "type" ? "types of " : ""}${layerOf(target)}`];
}

const isModule = (specifier: string, name: string): boolean =>
  specifier === name || specifier.startsWith(`${name}/`);

const layerOf = (file: string): string => (file.split("/")[1] ?? "").replace(/\.ts$/, "");

const targetOf = (file: string, specifier: string): string =>
  posix.join(posix.dirname(file), specifier).replace(/\.js$/, ".ts");

function readSources(): Sources {
  const names = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  return new Map(names.sort().map((name) => [`src/${name}`, readFileSync(`src/${name}`, "utf8")]));
}

test("every file of src imports only what its layer may", () => {
  const sources = readSources();
  expect(sources.size).toBeGreaterThan(0);
  expect(breaches(sources)).toEqual([]);
});

test.each([
  ["a static import", "src/cidr/a.ts", 'import { x } from "../storage/x.js";', "imports storage"],
  ["an import for its effect", "src/cidr/a.ts", 'import "../storage/x.js";', "imports storage"],
  [
    "an inline type, which still loads",
    "src/ports.ts",
    'import { type X } from "./plan/x.js";',
    "imports plan",
  ],
  ["a type import", "src/cidr/a.ts", 'import type { X } from "../plan/x.js";', "imports types of plan"],
  [
    "a type of the edge",
    "src/run/a.ts",
    'import type { X } from "../adapters/x.js";',
    "imports types of adapters",
  ],
  ["an import type", "src/cidr/a.ts", 'type X = import("../run/x.js").X;', "imports types of run"],
  ["a dynamic import", "src/plan/a.ts", 'const x = () => import("../run/x.js");', "imports run"],
  [
    "a computed import",
    "src/cli/a.ts",
    "const x = (name: string) => import(name);",
    "imports what is computed",
  ],
  ["a re-export", "src/objects/a.ts", 'export { x } from "../plan/x.js";', "imports plan"],
  ["a re-export of all", "src/index.ts", 'export * from "./cli/x.js";', "imports cli"],
  [
    "a re-export of types",
    "src/schema/a.ts",
    'export type { X } from "../objects/x.js";',
    "imports types of objects",
  ],
  [
    "values where types are allowed",
    "src/adapters/a.ts",
    'import { x } from "../plan/x.js";',
    "imports plan",
  ],
  ["the command line", "src/adapters/a.ts", 'import { x } from "../cli/x.js";', "imports cli"],
  ["the library", "src/cli/a.ts", 'import { x } from "../index.js";', "imports index"],
  ["another command", "src/cli/commands/a.ts", 'import { b } from "./b.js";', "imports a command's file"],
  [
    "a command from a part",
    "src/cli/a.ts",
    'import { b } from "./commands/b.js";',
    "imports a command's file",
  ],
  ["node: in the core", "src/plan/a.ts", 'import { readFileSync } from "node:fs";', "imports node:fs"],
  ["node: without its prefix", "src/run/a.ts", 'import { readFileSync } from "fs";', "imports fs"],
  ["npm in the shell", "src/run/a.ts", 'import { Etcd3 } from "etcd3";', "imports etcd3"],
  ["another npm package", "src/storage/a.ts", 'import { x } from "yaml-x";', "imports yaml-x"],
  ["a file outside src", "src/cli/a.ts", 'import x from "../../package.json";', "imports package.json"],
  ["an unknown folder", "src/utils/a.ts", 'import { x } from "../cidr/x.js";', "lies in no layer"],
  ["a loose file without imports", "src/a.ts", "export const a = 1;", "lies in no layer"],
])("sees %s", (_, file, text, expected) => {
  expect(breaches(new Map([[file, text]]))).toEqual([`${file}: ${expected}`]);
});

test.each([
  ["itself", "src/cidr/a.ts", 'import { x } from "./x.js";'],
  ["a package's part", "src/storage/a.ts", 'import { x } from "@noble/ciphers/aes.js";'],
  ["types alone", "src/ports.ts", 'import type { X } from "./plan/x.js";'],
  ["a command by the program", "src/cli/program.ts", 'import { x } from "./commands/x.js";'],
])("allows %s", (_, file, text) => {
  expect(breaches(new Map([[file, text]]))).toEqual([]);
});

test("sees a static import of the second reader, and a second one", () => {
  const reader = 'import protobuf from "protobufjs";';
  const sources = new Map([
    ["src/schema/one.ts", reader],
    ["src/schema/two.ts", reader],
    ["src/plan/a.ts", 'import { x } from "../schema/one.js";'],
    [
      "src/cli/a.ts",
      'import type { X } from "../schema/one.js";\nconst x = () => import("../schema/one.js");',
    ],
  ]);
  expect(breaches(sources)).toEqual([
    "src/schema/two.ts: a second file that imports protobufjs",
    "src/plan/a.ts: imports the second reader statically",
  ]);
});

test("no file of the core waits or draws lots", () => {
  const core = [...readSources()].filter(([file]) => CORE.includes(layerOf(file)));
  expect(core.filter(([file, text]) => isImpure(file, text)).map(([file]) => file)).toEqual([]);
});

test.each(["async () => 1", "await x", "for await (const x of y) {}", "Math.random()"])("sees %s", (text) => {
  expect(isImpure("src/cidr/a.ts", `${text};`)).toBe(true);
});

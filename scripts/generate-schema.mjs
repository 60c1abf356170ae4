// Writes proto/kubernetes.json from the Go types of the Kubernetes API, through a small Go program a release and a merge.
// `--check` writes nothing and says whether the committed file is what this generator makes. Needs Go and its module proxy.
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Versions of k8s.io/api, newest first: where two releases differ, the newer one's form of a field is taken. */
const RELEASES = ["0.37.2", "0.36.3", "0.35.4", "0.34.4", "0.33.13"];

/** The stored kinds by stored apiVersion. A longer list is all that a wider descriptor needs. */
const KINDS = {
  v1: ["ConfigMap", "Endpoints", "Namespace", "Node", "Pod", "RangeAllocation", "Secret", "Service"],
  "coordination.k8s.io/v1": ["Lease"],
  "discovery.k8s.io/v1": ["EndpointSlice"],
  "networking.k8s.io/v1": ["IPAddress", "ServiceCIDR"],
  "networking.k8s.io/v1beta1": ["IPAddress", "ServiceCIDR"],
};

/** API groups whose Go package is not named after the group's first label. */
const PACKAGES = {
  "flowcontrol.apiserver.k8s.io": "flowcontrol",
  "internal.apiserver.k8s.io": "apiserverinternal",
};

const root = fileURLToPath(new URL("..", import.meta.url));
const target = join(root, "proto", "kubernetes.json");

const text = `${JSON.stringify(merge(RELEASES.map((release) => ({ release, ...readRelease(release) }))), null, 1)}\n`;
if (!process.argv.includes("--check")) {
  writeFileSync(target, text);
  console.log(`wrote proto/kubernetes.json (${Buffer.byteLength(text)} bytes)`);
} else if (existsSync(target) && readFileSync(target, "utf8") === text) {
  console.log("proto/kubernetes.json is what the generator makes");
} else {
  console.error(
    "proto/kubernetes.json is not what the generator makes: run `node scripts/generate-schema.mjs`",
  );
  process.exitCode = 1;
}

/** What the Go program says about one release: `{ kinds, messages }`. */
function readRelease(release) {
  const folder = mkdtempSync(join(tmpdir(), "etcdcidr-schema-"));
  try {
    copyFileSync(join(root, "scripts", "schema-generator", "main.go"), join(folder, "main.go"));
    writeFileSync(
      join(folder, "go.mod"),
      `module schema-generator\n\ngo 1.24\n\nrequire (\n\tk8s.io/api v${release}\n\tk8s.io/apimachinery v${release}\n)\n`,
    );
    writeFileSync(join(folder, "groups.go"), groupsFile(moduleFolder(release, folder)));
    const kinds = Object.entries(KINDS).flatMap(([version, names]) =>
      names.map((name) => `${version}/${name}`),
    );
    return JSON.parse(go(folder, ["run", ".", ...kinds]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function moduleFolder(release, folder) {
  return JSON.parse(go(folder, ["mod", "download", "-json", `k8s.io/api@v${release}`])).Dir;
}

/** The Go file that names the packages of our kinds; a package that the release lacks is left out. */
function groupsFile(apiFolder) {
  const packages = Object.keys(KINDS)
    .map(packageOf)
    .filter((name) => existsSync(join(apiFolder, name)));
  const imports = packages.map((name, index) => `\tg${index} "k8s.io/api/${name}"\n`).join("");
  const adds = packages.map((_, index) => `\tg${index}.AddToScheme,\n`).join("");
  return `package main\n\nimport (\n\t"k8s.io/apimachinery/pkg/runtime"\n${imports})\n\nvar groups = []func(*runtime.Scheme) error{\n${adds}}\n`;
}

function packageOf(apiVersion) {
  const [version, group = "core"] = apiVersion.split("/").reverse();
  return `${PACKAGES[group] ?? group.split(".")[0]}/${version}`;
}

function go(cwd, args) {
  const env = { ...process.env, GOFLAGS: "-mod=mod", GOWORK: "off" };
  return execFileSync("go", args, {
    cwd,
    env,
    encoding: "utf8",
    maxBuffer: 64 << 20,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Unites the releases, newest first, into the compact form of the descriptor. */
function merge(releases) {
  const kinds = {};
  const messages = {};
  for (const release of releases) {
    for (const [kind, message] of Object.entries(release.kinds)) kinds[kind] ??= message;
    for (const name of Object.keys(release.messages)) messages[name] ??= mergeMessage(name, releases);
  }
  const packages = {};
  for (const name of Object.keys(messages).sort()) {
    const [, folder, type] = /^(.*)\.([^.]+)$/.exec(name);
    packages[folder] ??= {};
    packages[folder][type] = messages[name];
  }
  return { releases: RELEASES, kinds: sortedByKey(kinds), messages: packages };
}

function sortedByKey(object) {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function mergeMessage(name, releases) {
  const having = releases.filter((release) => release.messages[name]);
  const fields = [];
  for (const { release, messages } of having) {
    let place = 0;
    for (const field of messages[name].fields) {
      const index = fields.findIndex((known) => known.number === field.number);
      // A field that only older releases have stands behind the one it followed there.
      if (index < 0) fields.splice(place, 0, { ...field, seen: [release] });
      else fields[index].seen.push(release);
      place = (index < 0 ? place : index) + 1;
    }
  }
  const parts = fields.map((field) => fieldText(field, having, name));
  return `${having[0].messages[name].list ? "[]" : ""}${parts.join(",")}`;
}

/** `name number+letters [message]`, with the first and last release where the field's absence or presence tells. */
function fieldText(field, having, message) {
  const minor = (release) => release.split(".")[1];
  const isNew = !field.seen.includes(having.at(-1).release) && absenceShows(field.letters);
  const isGone = !field.seen.includes(having[0].release);
  const span = (isNew ? `+${minor(field.seen.at(-1))}` : "") + (isGone ? `!${minor(field.seen[0])}` : "");
  const folder = message.slice(0, message.lastIndexOf(".") + 1);
  const type = field.message?.startsWith(folder) ? field.message.slice(folder.length) : field.message;
  return `${field.name} ${field.number}${field.letters}${span}${type ? ` ${type}` : ""}`;
}

function absenceShows(letters) {
  const isValueStruct = /^[mTM]/.test(letters) && !/[*%?0>]/.test(letters);
  return isValueStruct || !letters.includes("-");
}

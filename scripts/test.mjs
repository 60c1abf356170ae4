// `npm test`: sets up what the tests need, checks and runs everything this machine can run, and names what it cannot.
// `--long` runs the *.long.test.ts files instead; everything else is passed on to vitest.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onPath } from "./cache.mjs";
import { buildFor, missingTools } from "./control-plane/of-test.mjs";
import { dockerAnswers } from "./docker.mjs";
import { obtainEtcd } from "./etcd.mjs";
import { build, install, npm, ROOT, run } from "./set-up.mjs";

const say = (line) => console.log(line);

async function main(args) {
  const long = args.includes("--long");
  const passedOn = args.filter((arg) => arg !== "--long");
  install(say);
  build(say);
  const checked = check();
  const etcd = obtainEtcd({ prefer: "newest", say });
  say(`etcd: ${etcd.path} (${etcd.origin})`);
  const files = testFiles().filter((name) => isLong(name) === long);
  const lacking = await whatIsLacking(files, passedOn);
  const result = runVitest({ long, lacking, etcd, args: passedOn });
  for (const line of notRun(result, lacking, passedOn)) say(`did not run: ${line}`);
  if (!long) sayWhatIsLong();
  // A program that cannot be built with all its tools there is a failure too.
  const notBuilt = lacking.filter(({ isFailure }) => isFailure).length;
  say(`${result.passed} passed, ${result.failed + notBuilt} failed`);
  return checked && notBuilt === 0 && result.ok && result.passed > 0 ? 0 : 1;
}

/** Formatter, linter and types. */
function check() {
  say("checking (npm run check)");
  const { ok, output } = npm("run", "--silent", "check");
  if (!ok) say(`${output}\nnpm run check failed`);
  return ok;
}

/** The files that cannot run here, with the reason. */
async function whatIsLacking(files, args) {
  const needs = [
    { tag: "docker", present: await dockerAnswers(), reason: "no Docker daemon answers" },
    {
      tag: "shared",
      present: existsSync(join(ROOT, "..", "shared")),
      reason: "no ../shared beside the project",
    },
    {
      tag: "debian",
      present: onPath("apt-get") !== undefined && onPath("dpkg-deb") !== undefined,
      reason: "no apt-get and dpkg-deb on PATH",
    },
  ];
  const missing = needs.filter(({ present }) => !present);
  const byName = missing.flatMap(({ tag, reason }) =>
    files.filter((name) => name.includes(`.${tag}.`)).map((name) => ({ name, reason })),
  );
  const paths = args.filter((arg) => !arg.startsWith("-"));
  const isWanted = (name) => paths.length === 0 || paths.some((path) => name.includes(path));
  const withPrograms = files.filter((name) => name.includes(".go.") && isWanted(name));
  return [...byName, ...withPrograms.flatMap(buildProgramsOf)];
}

/** A test file `x.go.test.ts` names the programs it starts; they are built once per machine. */
function buildProgramsOf(name) {
  const tools = missingTools(name);
  if (tools.length > 0) return [{ name, reason: `no ${tools.join(", no ")} on PATH` }];
  try {
    buildFor(name, say);
    return [];
  } catch (error) {
    // A Go that is too old, and is not to fetch a newer one, is a tool that this machine lacks.
    return [{ name, reason: error.message, isFailure: !error.message.includes("requires go >= ") }];
  }
}

/** Runs the tests; `ok` also says that nothing failed outside of a test. */
function runVitest({ long, lacking, etcd, args }) {
  const folder = mkdtempSync(join(tmpdir(), "etcdcidr-test-"));
  try {
    const file = join(folder, "report.json");
    const reporters = [
      "--reporter=dot",
      "--reporter=json",
      `--outputFile.json=${file}`,
      "--silent=passed-only",
    ];
    const excluded = lacking.flatMap(({ name }) => ["--exclude", name]);
    const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
    const { ok, output } = run(
      process.execPath,
      [vitest, "run", "--mode", long ? "long" : "test", ...reporters, ...excluded, ...args],
      { ETCD_BIN: etcd.path },
    );
    if (!ok) say(output);
    return { ok, ...count(existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : { testResults: [] }) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function count({ testResults: files }) {
  const tests = files.flatMap((file) => file.assertionResults);
  const withStatus = (...statuses) => tests.filter((each) => statuses.includes(each.status));
  // A file that cannot be loaded, or whose hook fails, has no failed test of its own; it counts as one failure.
  const broken = files.filter(
    (file) => file.status === "failed" && file.assertionResults.every((each) => each.status !== "failed"),
  );
  return {
    passed: withStatus("passed").length,
    failed: withStatus("failed").length + broken.length,
    skipped: withStatus("pending", "skipped", "todo", "disabled").map((each) => each.fullName),
  };
}

/** One line for each file that lacked something, and for each skipped test unless the caller chose some. */
function notRun({ skipped }, lacking, args) {
  const files = lacking.map(({ name, reason }) => `${name} (${reason})`);
  return [...files, ...(args.length === 0 ? skipped.map((name) => `${name} (skipped in its file)`) : [])];
}

function sayWhatIsLong() {
  const names = testFiles().filter(isLong);
  if (names.length > 0) say(`left to npm run test:long: ${names.join(", ")}`);
}

function testFiles() {
  const names = readdirSync(join(ROOT, "test"), { recursive: true });
  return names.filter((name) => name.endsWith(".test.ts")).map((name) => join("test", name));
}

const isLong = (name) => name.endsWith(".long.test.ts");

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  say(`${error.message}\n0 passed, 0 failed`);
  process.exitCode = 1;
}

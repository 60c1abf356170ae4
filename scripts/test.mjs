// `npm test`: sets up what the tests need, checks and runs everything this machine can run, and names what it cannot.
// `--long` runs the *.long.test.ts files instead; everything else is passed on to vitest.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dockerAnswers } from "./docker.mjs";
import { obtainEtcd, onPath } from "./etcd.mjs";
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
  const missing = await missingNeeds();
  const result = runVitest({ long, missing, etcd, args: passedOn });
  for (const line of notRun(result, long, missing, passedOn)) say(`did not run: ${line}`);
  if (!long) sayWhatIsLong();
  say(`${result.passed} passed, ${result.failed} failed`);
  return checked && result.ok && result.passed > 0 ? 0 : 1;
}

/** Formatter, linter and types. */
function check() {
  say("checking (npm run check)");
  const { ok, output } = npm("run", "--silent", "check");
  if (!ok) say(`${output}\nnpm run check failed`);
  return ok;
}

/** What a test file can need, said in its name (`x.docker.test.ts`), that is not there. */
async function missingNeeds() {
  const needs = [
    { tag: "docker", present: await dockerAnswers(), reason: "no Docker daemon answers" },
    { tag: "go", present: onPath("go") !== undefined, reason: "no Go on PATH" },
    {
      tag: "shared",
      present: existsSync(join(ROOT, "..", "shared")),
      reason: "no ../shared beside the project",
    },
  ];
  return needs.filter((need) => !need.present);
}

/** Runs the tests; `ok` also says that nothing failed outside of a test. */
function runVitest({ long, missing, etcd, args }) {
  const folder = mkdtempSync(join(tmpdir(), "etcdcidr-test-"));
  try {
    const file = join(folder, "report.json");
    const reporters = [
      "--reporter=dot",
      "--reporter=json",
      `--outputFile.json=${file}`,
      "--silent=passed-only",
    ];
    const excluded = missing.flatMap(({ tag }) => ["--exclude", `**/*.${tag}.*`]);
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
function notRun({ skipped }, long, missing, args) {
  const files = testFiles().filter((name) => isLong(name) === long);
  const lacking = files.flatMap((name) => {
    const reasons = missing.filter(({ tag }) => name.includes(`.${tag}.`)).map(({ reason }) => reason);
    return reasons.length > 0 ? [`${name} (${reasons.join(", ")})`] : [];
  });
  return [...lacking, ...(args.length === 0 ? skipped.map((name) => `${name} (skipped in its file)`) : [])];
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

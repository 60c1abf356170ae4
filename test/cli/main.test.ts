import { expect, test } from "vitest";
import { runCli } from "../harness/cli.js";
import { temporaryFolder } from "../harness/folder.js";

const broken = {
  out: () => {
    throw new Error("first line\nsecond line", { cause: new TypeError("what caused it") });
  },
};
const CHANGES = ["changes", "-o", "json", "--endpoints", "127.0.0.1:1", "--journal-dir"];

test("a fault of the tool's own has four lines and exit 1, and no stack", async () => {
  const { err, exitCode } = await runCli([...CHANGES, temporaryFolder()], broken);
  expect(exitCode).toBe(1);
  expect(err.slice(err.indexOf("error["))).toBe(
    [
      "error[internal]: etcdcidr met a fault of its own",
      "  why:  first line\\u000asecond line",
      "  now:  what was written so far is in the journal; `etcdcidr changes` lists it",
      "  next: run the command again with --debug, and report what it prints",
      "",
    ].join("\n"),
  );
});

test("--debug shows the stack, and the causes' too", async () => {
  const { err, exitCode } = await runCli(["--debug", ...CHANGES, temporaryFolder()], broken);
  expect(exitCode).toBe(1);
  expect(err).toMatch(/\nError: first line\nsecond line\n {4}at .*\n/);
  expect(err).toMatch(/\ncaused by TypeError: what caused it\n {4}at .*\n/);
});

import { expect, test } from "vitest";
import { ACCEPTABLE_CODES } from "../../src/cli/accept-codes.js";
import { runCli } from "../harness/cli.js";

const ELSEWHERE = ["changes", "--endpoints", "http://127.0.0.1:1", "--journal-dir", "/nonexistent"];

test.each(["capacity", "no-such-code"])(
  "--accept %s is a usage error that lists what can be accepted",
  async (code) => {
    const { err, exitCode } = await runCli([...ELSEWHERE, "--accept", code]);
    expect(exitCode).toBe(2);
    expect(err).toContain(`${code} cannot be accepted; these can: ${ACCEPTABLE_CODES.join(", ")}`);
  },
);

test("every code on the list is taken; that nobody answers there is found later", async () => {
  const { exitCode } = await runCli([...ELSEWHERE, "--accept", ACCEPTABLE_CODES.join(",")]);
  expect(exitCode).toBe(3);
});

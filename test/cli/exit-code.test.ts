import { expect, test } from "vitest";
import { exitCodeOf } from "../../src/cli/exit-code.js";
import { ERROR_CODES } from "../../src/errors.js";

/** The README's table: what is true of the cluster decides. */
const EXIT_CODES = {
  1: ["internal", "not-found"],
  2: ["usage", "invalid-cidr", "no-terminal"],
  3: [
    ...["unreachable", "tls", "authentication", "wrong-etcd", "not-sent", "compacted", "malformed-object"],
    ...["unsupported-format", "blocked", "declined", "plan-altered", "plan-stale", "wrong-cluster"],
    ...["journal-unusable", "journal-damaged", "snapshot-damaged", "too-large", "refused"],
  ],
  4: ["stopped"],
  5: ["in-doubt"],
  6: ["not-verified"],
  130: ["interrupted"],
};

test.each(Object.entries(EXIT_CODES))("exit code %s is that of its errors alone", (exitCode, codes) => {
  expect(ERROR_CODES.filter((code) => exitCodeOf(code) === Number(exitCode)).toSorted()).toEqual(
    codes.toSorted(),
  );
});

test("every error has one of them", () => {
  expect(Object.values(EXIT_CODES).flat().toSorted()).toEqual([...ERROR_CODES].sort());
});
